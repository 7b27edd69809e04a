"""Which models of an imported file are worth running, and the ways to build each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import FunctionType, ModuleType
from typing import Any

from torch import nn

from lintorch.guest.construct.abstract_methods import is_unwritten
from lintorch.guest.construct.examples import Example, examples
from lintorch.guest.construct.file_outline import Outline
from lintorch.guest.construct.parameters import required

_WAYS = 3


@dataclass(frozen=True)
class Candidate:
    """A model to try: each of `ways` is (factory name or "", class or factory), best first.

    `shown` holds calls that the file itself spells out, and `scope` what its names mean.
    """

    qualname: str
    row: int
    ways: tuple[tuple[str, Callable[..., Any]], ...]
    shown: tuple[Example, ...] = ()
    scope: Mapping[str, Any] = field(default_factory=dict)
    error: Exception | None = None
    """What came of looking at it, where that was no class."""


def candidates(module: ModuleType, found: Outline, text: bytes = b"") -> Iterator[Candidate]:
    """Models of the file, those that contain others first, public names before private ones.

    Classes that raise when they are looked at come last, with no way to build them.
    """
    shown = list(examples(text, _names(module, found), _plain(vars(module))))
    for candidate in _candidates(module, found):
        names = {candidate.qualname, *(name for name, _ in candidate.ways)}
        yield replace(
            candidate,
            shown=tuple(example for example in shown if example.name in names),
            scope=vars(module),
        )


def _plain(scope: Mapping[str, Any]) -> dict[str, Any]:
    """The names that stand for classes, functions, modules and what is spelled out in text."""
    return {name: value for name, value in scope.items() if _is_plain(value)}


def _is_plain(value: Any) -> bool:
    try:
        return issubclass(type(value), (type, ModuleType, FunctionType)) or _is_text(value)
    except Exception:  # whatever user code raises
        return False


def _is_text(value: Any, depth: int = 0) -> bool:
    if issubclass(type(value), dict):
        value = (*value, *value.values())
    if issubclass(type(value), (tuple, list)):
        return depth < 3 and len(value) <= 64 and all(_is_text(part, depth + 1) for part in value)
    return value is None or issubclass(type(value), (int, float, str))


def _names(module: ModuleType, found: Outline) -> frozenset[str]:
    """Names of the file by which models are made, its own and those it imports."""
    kinds = (n for n, v in vars(module).items() if _is_module_class(v))
    return frozenset((*kinds, *found.factories))


def _is_module_class(value: object) -> bool:
    """Whether a value is a class of models, without asking its metaclass."""
    return issubclass(type(value), type) and any(
        base is nn.Module for base in type.__getattribute__(value, "__mro__")
    )


def _candidates(module: ModuleType, found: Outline) -> Iterator[Candidate]:
    classes: dict[str, Any] = {}
    odd: dict[str, Exception] = {}
    for name in found.classes:
        try:
            if (value := _model(module, name)) is not None:
                classes[name] = value
        except Exception as error:  # whatever user code raises
            odd[name] = error
    order = sorted(classes, key=lambda name: (_depth(name, classes, found), name.startswith("_")))
    served: set[str] = set()
    for name in order:
        makers = [f for f in found.factories if name in _built_by(f, order, found)]
        served.update(makers)
        yield Candidate(name, found.classes[name], _ways(module, name, classes[name], makers))
    for name in found.factories:
        makes_own = found.reach(name) & {*classes, *served}
        factory = getattr(module, name, None)
        if not makes_own and inspect.isfunction(factory):
            yield Candidate(name, found.factories[name], ((name, factory),))
    for name, raised in odd.items():
        yield Candidate(name, found.classes[name], (), error=raised)


def _model(module: ModuleType, name: str) -> type[nn.Module] | None:
    value = getattr(module, name, None)
    if not _is_module_class(value) or inspect.isabstract(value):
        return None
    if value.__module__ != module.__name__ or is_unwritten(getattr(value, "forward", None)):
        return None
    return value


def _depth(name: str, classes: Mapping[str, Any], found: Outline) -> int:
    """How many other models of the file mention this one, directly or not."""
    return sum(name in found.reach(other) for other in classes if other != name)


def _built_by(factory: str, order: list[str], found: Outline) -> list[str]:
    """The one class that a factory is taken to return: the first it reaches that others do not."""
    reached = found.reach(factory)
    return [name for name in order if name in reached][:1]


def _ways(
    module: ModuleType, name: str, value: type[nn.Module], makers: list[str]
) -> tuple[tuple[str, Callable[..., Any]], ...]:
    alone: tuple[str, Callable[..., Any]] = ("", value)
    by_factory = [(maker, getattr(module, maker)) for maker in makers[:_WAYS]]
    try:
        free = not required(value)
    except Exception:  # ValueError and TypeError, and whatever user code raises
        free = True
    return (alone, *by_factory) if free else (*by_factory, alone)
