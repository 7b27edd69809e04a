"""Reads what a callable of torch takes from the file that `_generate.py` writes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from typing import Any

UNWRITTEN = ...
"""The default of a parameter that is no literal, such as a function."""
_REQUIRED = object()


class ParameterKind(Enum):
    """How a parameter may be given."""

    POSITIONAL = "positional only"
    EITHER = "by position or by name"
    STAR = "all further positions"
    NAMED = "by name only"
    DOUBLE_STAR = "all further names"


@dataclass(frozen=True)
class Parameter:
    """One thing that a callable takes.

    `type` is "Tensor", "Tensors", "int", "ints", "number", "bool", "str", "dtype" or "device"; "value"
    for a tensor or a number; "" where it is not written down.
    """

    name: str
    kind: ParameterKind
    default: Any = _REQUIRED
    type: str = ""

    @property
    def is_required(self) -> bool:
        """Whether a call must give it."""
        starred = self.kind in (ParameterKind.STAR, ParameterKind.DOUBLE_STAR)
        return self.default is _REQUIRED and not starred


_BY_POSITION = (ParameterKind.POSITIONAL, ParameterKind.EITHER)
_BY_NAME = (ParameterKind.EITHER, ParameterKind.NAMED)


@dataclass(frozen=True)
class Plan:
    """What binding a call asks of a signature again and again."""

    by_name: Mapping[str, Parameter]
    places: tuple[str, ...]
    """Names of what can be given by position."""
    named: frozenset[str]
    """Names of what can be given by name."""
    required: frozenset[str]
    defaults: Mapping[str, Any]
    """In the order of the parameters."""
    star: str
    options: str
    """The names behind `*` and `**`, or ""."""


@dataclass(frozen=True)
class Signature:
    """One way to call a callable; that of a method is without `self`."""

    name: str
    parameters: tuple[Parameter, ...]

    @cached_property
    def plan(self) -> Plan:
        """The same, sorted for binding."""
        every = self.parameters
        names = {kind: [p.name for p in every if p.kind is kind] for kind in ParameterKind}
        return Plan(
            {p.name: p for p in every},
            tuple(p.name for p in every if p.kind in _BY_POSITION),
            frozenset(p.name for p in every if p.kind in _BY_NAME),
            frozenset(p.name for p in every if p.is_required),
            {p.name: p.default for p in every},
            "".join(names[ParameterKind.STAR]),
            "".join(names[ParameterKind.DOUBLE_STAR]),
        )

    @property
    def is_method(self) -> bool:
        """Whether it is called on a tensor."""
        return self.name.startswith("torch.Tensor.")


def is_known(name: str) -> bool:
    """Whether torch has a callable of this name."""
    return name in _read_lines()


def find_signatures(name: str) -> tuple[Signature, ...]:
    """The ways to call `torch.cat`, `torch.Tensor.view`, `torch.nn.Linear`, `torch.nn.Linear.forward`.

    The preferred first; () where the name is not known.
    """
    return _parse_ways(name)


@cache
def _parse_ways(name: str) -> tuple[Signature, ...]:
    return tuple(_parse_line(name, line) for line in _read_lines().get(name, ()))


@cache
def _read_lines() -> dict[str, list[str]]:
    text = Path(__file__).with_name("torch.txt").read_text("utf-8")
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        found.setdefault(line.partition("(")[0], []).append(line)
    return found


def _parse_line(name: str, line: str) -> Signature:
    function = ast.parse(f"def f{line.removeprefix(name)}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    required: list[ast.expr | None] = [None] * (len(positional) - len(given.defaults))
    found = [
        _make_parameter(argument, kind, default)
        for argument, kind, default in zip(
            positional,
            [ParameterKind.POSITIONAL] * len(given.posonlyargs)
            + [ParameterKind.EITHER] * len(given.args),
            [*required, *given.defaults],
            strict=True,
        )
    ]
    found += [_make_parameter(a, ParameterKind.STAR, None) for a in (given.vararg,) if a]
    found += [
        _make_parameter(argument, ParameterKind.NAMED, default)
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    found += [_make_parameter(a, ParameterKind.DOUBLE_STAR, None) for a in (given.kwarg,) if a]
    return Signature(name, tuple(found))


def _make_parameter(argument: ast.arg, kind: ParameterKind, default: ast.expr | None) -> Parameter:
    told = argument.annotation.id if isinstance(argument.annotation, ast.Name) else ""
    value = _REQUIRED if default is None else ast.literal_eval(default)
    return Parameter(argument.arg, kind, value, told)
