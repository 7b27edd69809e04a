"""How far a size is from the next multiple, asked by a branch: `k - h % k if h % k else 0`, which is `-h % k`."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

_SIZES = range(1, 41)
_STEPS = range(1, 10)
_DEEPEST = 6


def write_remainder(branch: ast.AST, function: ast.AST) -> str | None:
    """`-h % k`, where a choice by `h % k` is worth that at every size that was tried; None of others."""
    if not isinstance(branch, ast.IfExp):
        return None
    asked, negated = _read_test(branch.test)
    sides = (branch.orelse, branch.body) if negated else (branch.body, branch.orelse)
    if asked is None or not (isinstance(sides[1], ast.Constant) and sides[1].value == 0):
        return None
    size, step = ast.unparse(asked.left), ast.unparse(asked.right)
    plain = isinstance(asked.left, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    given, steps = _list_given(function), _STEPS
    if isinstance(asked.right, ast.Constant) and isinstance(asked.right.value, int):
        steps = range(asked.right.value, asked.right.value + 1)
    for h in _SIZES if plain else ():
        for k in steps:
            known = {size: h, step: k}
            if h % k and _compute(sides[0], known, given, 0) != -h % k:
                return None
    return f"-{size} % {step}" if plain else None


def _read_test(test: ast.expr) -> tuple[ast.BinOp | None, bool]:
    """`h % k` of `h % k != 0`, of `h % k > 0` and of itself; with `== 0` and `not`, the other way round."""
    match test:
        case ast.BinOp(op=ast.Mod()):
            return test, False
        case ast.UnaryOp(op=ast.Not(), operand=ast.BinOp(op=ast.Mod()) as asked):
            return asked, True
        case ast.Compare(left=ast.BinOp(op=ast.Mod()) as asked, ops=[op], comparators=[zero]):
            is_zero = isinstance(zero, ast.Constant) and zero.value == 0
            if is_zero and isinstance(op, (ast.NotEq, ast.Gt, ast.Eq)):
                return asked, isinstance(op, ast.Eq)
    return None, False


def _list_given(function: ast.AST) -> Mapping[str, ast.expr]:
    """What names are given, of those that are given something once."""
    pairs: list[tuple[str, ast.expr]] = []
    for each in ast.walk(function):
        match each:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs += [(ast.unparse(n), v) for n, v in zip(names, values, strict=False)]
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pairs.append((name, value))
    given = [key for key, _ in pairs]
    return {key: value for key, value in pairs if given.count(key) == 1}


def _compute(
    node: ast.expr, known: Mapping[str, int], given: Mapping[str, ast.expr], deep: int
) -> float | None:
    """What an expression is worth for these sizes."""
    text = ast.unparse(node)
    if text in known:
        return known[text]
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name) if name in given and deep < _DEEPEST:
            return _compute(given[name], known, given, deep + 1)
        case ast.Call(args=[inner], keywords=[]) if ast.unparse(node.func) in ("int", "math.ceil"):
            value = _compute(inner, known, given, deep)
            rounded = int if ast.unparse(node.func) == "int" else math.ceil
            return None if value is None else rounded(value)
        case ast.BinOp(left=left, op=op, right=right):
            pair = _compute(left, known, given, deep), _compute(right, known, given, deep)
            return _combine(op, *pair)
    return None


def _combine(op: ast.operator, left: float | None, right: float | None) -> float | None:
    if left is None or right is None:
        return None
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv() | ast.Div() | ast.Mod() if right:
            quotient = {ast.FloorDiv: left // right, ast.Div: left / right, ast.Mod: left % right}
            return quotient[type(op)]
    return None
