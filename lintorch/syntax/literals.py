"""Reading plain values and call arguments out of source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import libcst as cst


class _Unknown:
    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Any = _Unknown()
"""Stands for a value that cannot be read off the source. False, and equal only to itself."""


def literal(node: cst.CSTNode | None) -> Any:
    """The value of a literal expression (numbers, strings, None, tuples, lists), else UNKNOWN."""
    if node is None:
        return UNKNOWN
    if isinstance(node, cst.Name):
        return {"None": None, "True": True, "False": False}.get(node.value, UNKNOWN)
    if isinstance(node, cst.Integer):
        return int(node.value, 0)
    if isinstance(node, cst.Float):
        return float(node.value)
    if isinstance(node, cst.SimpleString):
        return _text(node)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        value = literal(node.expression)
        return -value if isinstance(value, (int, float)) else UNKNOWN
    if isinstance(node, (cst.Tuple, cst.List)):
        values = [literal(e.value) for e in node.elements]
        starred = any(isinstance(e, cst.StarredElement) for e in node.elements)
        if starred or any(v is UNKNOWN for v in values):
            return UNKNOWN
        return tuple(values) if isinstance(node, cst.Tuple) else values
    return UNKNOWN


def _text(node: cst.SimpleString) -> str | bytes:
    """What a string literal stands for; a plain one without asking the compiler."""
    plain = node.value[:1] in "'\"" and node.value[1:2] != node.value[:1] and "\\" not in node.value
    return node.value[1:-1] if plain else node.evaluated_value


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call by parameter name. `complete` is False where * or ** hides some."""

    by_name: Mapping[str, cst.Arg]
    complete: bool

    def get(self, name: str) -> cst.BaseExpression | None:
        """The expression given for a parameter; None where none is given."""
        arg = self.by_name.get(name)
        return arg.value if arg else None

    def value(self, name: str, default: Any = UNKNOWN) -> Any:
        """The literal given for a parameter, `default` where surely none is given, else UNKNOWN."""
        if name in self.by_name:
            return literal(self.by_name[name].value)
        return default if self.complete else UNKNOWN


def arguments(call: cst.Call, *parameters: str) -> Arguments:
    """Bind a call's arguments to parameter names given in positional order."""
    found: dict[str, cst.Arg] = {}
    positional, complete = True, True
    for index, arg in enumerate(call.args):
        if arg.star:
            complete = False
            positional = positional and arg.star != "*"
        elif arg.keyword is not None:
            found[arg.keyword.value] = arg
        elif positional and index < len(parameters):
            found[parameters[index]] = arg
    return Arguments(found, complete)
