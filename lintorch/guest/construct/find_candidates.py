"""Which models of an imported file are worth running, and the ways to build each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import FunctionType, ModuleType
from typing import Any

from torch import nn

from lintorch.guest.construct.abstract_methods import is_unwritten
from lintorch.guest.construct.call_examples import Example, find_examples
from lintorch.guest.construct.class_makers import list_class_makers
from lintorch.guest.construct.file_outline import FileOutline
from lintorch.guest.construct.parameters import list_required_parameters
from lintorch.guest.imports.stand_in import raise_missing
from lintorch.guest.imports.stand_in_bases import AbsentBase

_MOST_FACTORIES = 3
"""Factories by which one class is built, at most: each costs a run of the user's code."""
_DEEPEST_LITERAL, _LONGEST_LITERAL = 3, 64
"""Levels and items of a container that is looked through for being plain."""


@dataclass(frozen=True)
class Candidate:
    """A model to try: each of `ways` is (factory name or "", class or factory), best first.

    `examples` holds calls that the file itself spells out, and `scope` what its names mean.
    """

    qualname: str
    row: int
    ways: tuple[tuple[str, Callable[..., Any]], ...]
    examples: tuple[Example, ...] = ()
    scope: Mapping[str, Any] = field(default_factory=dict)
    error: Exception | None = None
    """What came of looking at it, where that was no class."""
    build: Callable[..., Iterator[Any]] | None = None
    """Builds it, given the user's lines, where no class or factory of the file does."""


def find_candidates(
    module: ModuleType, found: FileOutline, text: bytes = b"", asked: Collection[str] = ()
) -> Iterator[Candidate]:
    """Models of the file, those that contain others first, public names before private ones.

    Factories that are `asked` for by name are models too, though their classes are. Classes that
    raise when they are looked at come last, with no way to build them.
    """
    examples = list(
        find_examples(text, _find_maker_names(module, found), _keep_plain_names(vars(module)))
    )
    for candidate in _list_candidates(module, found, asked):
        names = {candidate.qualname, *(name for name, _ in candidate.ways)}
        yield replace(
            candidate,
            examples=tuple(example for example in examples if example.name in names),
            scope=vars(module),
        )


def _keep_plain_names(scope: Mapping[str, Any]) -> dict[str, Any]:
    """The names that stand for classes, functions, modules and what is spelled out in text."""
    return {name: value for name, value in scope.items() if _is_plain(value)}


def _is_plain(value: Any) -> bool:
    try:
        return issubclass(type(value), (type, ModuleType, FunctionType)) or _is_literal(value)
    except Exception:  # whatever user code raises
        return False


def _is_literal(value: Any, depth: int = 0) -> bool:
    if issubclass(type(value), dict):
        value = (*value, *value.values())
    if issubclass(type(value), (tuple, list)):
        return (
            depth < _DEEPEST_LITERAL
            and len(value) <= _LONGEST_LITERAL
            and all(_is_literal(part, depth + 1) for part in value)
        )
    return value is None or issubclass(type(value), (int, float, str))


def _find_maker_names(module: ModuleType, found: FileOutline) -> frozenset[str]:
    """Names of the file by which models are made, its own and those it imports."""
    kinds = (n for n, v in vars(module).items() if _is_module_class(v))
    return frozenset((*kinds, *found.factories))


def _is_module_class(value: object) -> bool:
    """Whether a value is a class of models, without asking its metaclass."""
    return issubclass(type(value), type) and any(
        base is nn.Module for base in type.__getattribute__(value, "__mro__")
    )


def _is_other_class(value: object) -> bool:
    """Whether a value is a class of something else than models: of datasets, of settings."""
    return issubclass(type(value), type) and not _is_module_class(value)


def _is_of_absent_base(value: object) -> bool:
    """Whether a value is a class that derives from one of a package that is not there."""
    return issubclass(type(value), type) and AbsentBase in type.__getattribute__(value, "__mro__")


def _list_candidates(
    module: ModuleType, found: FileOutline, asked: Collection[str]
) -> Iterator[Candidate]:
    classes: dict[str, Any] = {}
    odd: dict[str, Exception] = {}
    for name in found.classes:
        try:
            if (value := _get_model_class(module, name)) is not None:
                classes[name] = value
        except Exception as error:  # whatever user code raises
            odd[name] = error
    order = sorted(
        classes, key=lambda name: (_count_users(name, classes, found), name.startswith("_"))
    )
    served: set[str] = set()
    for name in order:
        makers = [f for f in found.factories if name in _find_built_class(f, order, found)]
        served.update(makers)
        yield Candidate(name, found.classes[name], _list_ways(module, name, classes[name], makers))
    for name in found.factories:
        makes_own = found.find_reachable(name) & {*classes, *served}
        factory = getattr(module, name, None)
        makes_other = any(_is_other_class(vars(module).get(n)) for n in found.mentions[name])
        is_alone = not makes_own and not makes_other
        if (is_alone or name in asked) and inspect.isfunction(factory):
            yield Candidate(name, found.factories[name], ((name, factory),))
    for name, raised in odd.items():
        yield Candidate(name, found.classes[name], (), error=raised)


def _get_model_class(module: ModuleType, name: str) -> type[nn.Module] | None:
    value: Any = getattr(module, name, None)
    if (
        _is_of_absent_base(value)
        and value.__module__ == module.__name__
        and "forward" in vars(value)
    ):
        raise_missing(value.lintorch_stand_in)
    if not _is_module_class(value) or inspect.isabstract(value):
        return None
    if value.__module__ != module.__name__ or is_unwritten(getattr(value, "forward", None)):
        return None
    kind: type[nn.Module] = value
    return kind


def _count_users(name: str, classes: Mapping[str, Any], found: FileOutline) -> int:
    """How many other models of the file mention this one, directly or not."""
    return sum(name in found.find_reachable(other) for other in classes if other != name)


def _find_built_class(factory: str, order: list[str], found: FileOutline) -> list[str]:
    """The one class that a factory is taken to return: else the first it reaches that others do not."""
    if (made := found.made[factory]) in order:
        return [made]
    reached = found.find_reachable(factory)
    return [name for name in order if name in reached][:1]


def _list_ways(
    module: ModuleType, name: str, value: type[nn.Module], makers: list[str]
) -> tuple[tuple[str, Callable[..., Any]], ...]:
    alone: tuple[str, Callable[..., Any]] = ("", value)
    by_factory = [(maker, getattr(module, maker)) for maker in makers[:_MOST_FACTORIES]]
    try:
        free = not list_required_parameters(value)
        own = [] if free else list_class_makers(value)
    except Exception:  # ValueError and TypeError, and whatever user code raises
        free, own = True, []
    return (alone, *by_factory) if free else (*by_factory, *own, alone)
