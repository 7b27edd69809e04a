"""Values that an expression spells out. Nothing is called: names, numbers and containers only."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

_SIGNS: Mapping[type, Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_SUMS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
}
_BIGGEST = 10**6


class UnknownError(Exception):
    """An expression's value cannot be read off its text."""


def value(node: ast.expr | None, known: Mapping[str, Any]) -> Any:
    """What `node` evaluates to, given the values of some names. Raises UnknownError."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.Attribute):
        return _member(value(node.value, known), node.attr)
    if isinstance(node, ast.Tuple):
        return tuple(value(part, known) for part in node.elts)
    if isinstance(node, ast.List):
        return [value(part, known) for part in node.elts]
    if isinstance(node, ast.Dict):
        keys = [value(key, known) for key in node.keys]
        if all(isinstance(key, (str, int)) for key in keys):
            return dict(zip(keys, (value(part, known) for part in node.values), strict=True))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_number(value(node.operand, known)))
    if isinstance(node, ast.BinOp) and type(node.op) in _SUMS:
        return _sum(node, known)
    raise UnknownError(ast.dump(node) if node else "")


def _member(holder: Any, name: str) -> Any:
    """What a module holds by that name; attributes of other things may run code."""
    if isinstance(holder, ModuleType) and name in vars(holder):
        return vars(holder)[name]
    raise UnknownError(name)


def _sum(node: ast.BinOp, known: Mapping[str, Any]) -> Any:
    left, right = value(node.left, known), value(node.right, known)
    if isinstance(node.op, ast.Mult) and isinstance(left, (list, tuple)) and isinstance(right, int):
        return left * min(right, 64)
    try:
        return _SUMS[type(node.op)](_number(left), _number(right))
    except ZeroDivisionError:
        raise UnknownError("division by zero") from None


def _number(value: Any) -> Any:
    if isinstance(value, (int, float)) and abs(value) <= _BIGGEST:
        return value
    raise UnknownError(repr(value))
