"""How far a size is from the next multiple, asked by a branch: `k - h % k if h % k else 0`, which is `-h % k`."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass

_SIZES = range(1, 41)
_STEPS = range(1, 10)
_DEEPEST = 6
_PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)


@dataclass(frozen=True)
class RemainderAsked:
    """What a test asks of `size % step`, as both are written; `negated` where it asks if that is 0."""

    size: str
    step: str
    negated: bool
    steps: range

    @property
    def text(self) -> str:
        """How far the size is from the next multiple."""
        return f"-{self.size} % {self.step}"

    def is_rest_up(self, value: ast.expr, given: Mapping[str, ast.expr]) -> bool:
        """Whether an expression is worth that, at every size that was tried where it is not 0."""
        for h in _SIZES:
            for k in self.steps:
                if h % k and _compute(value, {self.size: h, self.step: k}, given, 0) != -h % k:
                    return False
        return True


def read_remainder(test: ast.expr, function: ast.AST) -> RemainderAsked | None:
    """What a test asks of a remainder, by itself or by names; `(n / k).is_integer()` asks if it is 0."""
    given = find_given(function)
    asked, negated = _read_test(_expand(test, given))
    if asked is None:
        return None
    left = asked.left.operand if isinstance(asked.left, ast.UnaryOp) else asked.left
    if not isinstance(left, _PLAIN) or not isinstance(asked.right, _PLAIN):
        return None
    return RemainderAsked(ast.unparse(left), ast.unparse(asked.right), negated, _steps(asked))


def _steps(asked: ast.BinOp) -> range:
    if isinstance(asked.right, ast.Constant) and isinstance(asked.right.value, int):
        return range(asked.right.value, asked.right.value + 1)
    return _STEPS


def _expand(test: ast.expr, given: Mapping[str, ast.expr]) -> ast.expr:
    """A test with what its names are given, where that is a remainder or a quotient."""
    match test:
        case ast.Name(id=name) if isinstance(given.get(name), (ast.BinOp, ast.Compare)):
            return given[name]
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return ast.UnaryOp(ast.Not(), _expand(inner, given))
        case ast.Compare(left=left, ops=ops, comparators=others):
            return ast.Compare(_expand(left, given), ops, others)
        case ast.Call(func=ast.Attribute(value=held, attr="is_integer"), args=[]):
            quotient = _expand(held, given)
            if isinstance(quotient, ast.BinOp) and isinstance(quotient.op, ast.Div):
                rest = ast.BinOp(quotient.left, ast.Mod(), quotient.right)
                return ast.UnaryOp(ast.Not(), rest)
    return test


def write_remainder(branch: ast.AST, function: ast.AST) -> str | None:
    """`-h % k`, where a choice by `h % k` is worth that at every size that was tried; None of others."""
    if not isinstance(branch, ast.IfExp):
        return None
    asked, negated = _read_test(branch.test)
    sides = (branch.orelse, branch.body) if negated else (branch.body, branch.orelse)
    if asked is None or not (isinstance(sides[1], ast.Constant) and sides[1].value == 0):
        return None
    plain = isinstance(asked.left, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    rest = RemainderAsked(ast.unparse(asked.left), ast.unparse(asked.right), negated, _steps(asked))
    return rest.text if plain and rest.is_rest_up(sides[0], find_given(function)) else None


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


def find_given(function: ast.AST) -> Mapping[str, ast.expr]:
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
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            value = _compute(inner, known, given, deep)
            return None if value is None else -value
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
