"""What a width is worth where some names and remainders are 0."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def compute(node: ast.expr, zeros: Sequence[str]) -> int | None:
    """What a width is where names and remainders are 0; None where that is not known."""
    if ast.unparse(node) in zeros:
        return 0
    match node:
        case ast.BinOp(left=number, op=ast.Mod(), right=by) if _is_multiple(number, by, zeros):
            return 0
        case ast.Constant(value=int(whole)):
            return whole
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            value = compute(inner, zeros)
            return None if value is None else -value
        case ast.BinOp(left=left, op=op, right=right):
            pair = compute(left, zeros), compute(right, zeros)
            return combine(op, *pair)
    return None


def combine(op: ast.operator, left: int | None, right: int | None) -> int | None:
    if left == 0 and isinstance(op, (ast.FloorDiv, ast.Mod, ast.Mult)):
        return 0
    if left is None or right is None:
        return None
    if isinstance(op, ast.Add):
        return left + right
    return left - right if isinstance(op, ast.Sub) else None


def _is_multiple(number: ast.expr, by: ast.expr, zeros: Sequence[str]) -> bool:
    """Whether nothing is left of `-w` or `k - w % k`, divided by k."""
    match number:
        case ast.UnaryOp(op=ast.USub(), operand=size):
            return ast.unparse(ast.BinOp(size, ast.Mod(), by)) in zeros
        case ast.BinOp(left=whole, op=ast.Sub(), right=rest):
            return ast.unparse(whole) == ast.unparse(by) and compute(rest, zeros) == 0
    return False
