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
_BIGGEST_NUMBER = 10**6
"""Operands beyond it are left unknown: a text can spell sums that would take all memory."""
_MOST_REPEATS = 64
"""Copies that `[8] * n` makes, at most."""


class UnknownValueError(Exception):
    """An expression's value cannot be read off its text."""


def evaluate_literal(node: ast.expr | None, known: Mapping[str, Any]) -> Any:
    """What `node` evaluates to, given the values of some names. Raises UnknownError."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.Attribute):
        return _read_member(evaluate_literal(node.value, known), node.attr)
    if isinstance(node, ast.Tuple):
        return tuple(evaluate_literal(part, known) for part in node.elts)
    if isinstance(node, ast.List):
        return [evaluate_literal(part, known) for part in node.elts]
    if isinstance(node, ast.Dict):
        keys = [evaluate_literal(key, known) for key in node.keys]
        if all(isinstance(key, (str, int)) for key in keys):
            return dict(
                zip(keys, (evaluate_literal(part, known) for part in node.values), strict=True)
            )
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_check_number(evaluate_literal(node.operand, known)))
    if isinstance(node, ast.BinOp) and type(node.op) in _SUMS:
        return _evaluate_sum(node, known)
    raise UnknownValueError(ast.dump(node) if node else "")


def _read_member(holder: Any, name: str) -> Any:
    """What a module holds by that name; attributes of other things may run code."""
    if isinstance(holder, ModuleType) and name in vars(holder):
        return vars(holder)[name]
    raise UnknownValueError(name)


def _evaluate_sum(node: ast.BinOp, known: Mapping[str, Any]) -> Any:
    left, right = evaluate_literal(node.left, known), evaluate_literal(node.right, known)
    if isinstance(node.op, ast.Mult) and isinstance(left, (list, tuple)) and isinstance(right, int):
        return left * min(right, _MOST_REPEATS)
    try:
        return _SUMS[type(node.op)](_check_number(left), _check_number(right))
    except ZeroDivisionError:
        raise UnknownValueError("division by zero") from None


def _check_number(value: Any) -> Any:
    if isinstance(value, (int, float)) and abs(value) <= _BIGGEST_NUMBER:
        return value
    raise UnknownValueError(repr(value))
