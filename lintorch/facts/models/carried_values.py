"""What a forward works with only where an earlier one has left it: `if self.last is not None: y = y + self.last`."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def reads_of_call_before(function: ast.AST, name: str, row: int) -> bool:
    """Whether a branch above a row computes with `self.NAME`, and is taken where that is not None."""
    return any(
        part.lineno < row and any(_computes(each, name) for each in _side_with(part, name))
        for part in ast.walk(function)
        if isinstance(part, (ast.If, ast.IfExp)) and "training" not in ast.unparse(part.test)
    )


def _side_with(branch: ast.If | ast.IfExp, name: str) -> Iterator[ast.AST]:
    """The side of a branch on which there is something under that name."""
    answer = _asks(branch.test, name)
    side = {True: branch.body, False: branch.orelse, None: []}[answer]
    yield from side if isinstance(side, list) else [side]


def _asks(test: ast.expr, name: str) -> bool | None:
    """Whether a test that holds says that there is something under a name; None where it does not ask."""
    match test:
        case ast.BoolOp(op=ast.And(), values=parts):
            return True if any(_asks(each, name) for each in parts) else None
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            answer = _asks(inner, name)
            return None if answer is None else not answer
        case ast.Compare(left=left, ops=[sign], comparators=[ast.Constant(value=None)]):
            return isinstance(sign, (ast.IsNot, ast.NotEq)) if _is_own(left, name) else None
    return True if _is_own(test, name) else None


def _is_own(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
            return attribute == name
    return False


def _computes(node: ast.AST, name: str) -> bool:
    """Whether an operation or a call below a node takes it, and no more than its sizes are asked."""
    for each in ast.walk(node):
        given = [each.left, each.right] if isinstance(each, ast.BinOp) else []
        if isinstance(each, ast.Call) and ast.unparse(each.func) not in _ASKING:
            given = [*each.args, *(k.value for k in each.keywords)]
        listed = (part for one in given for part in (getattr(one, "elts", None) or [one]))
        if any(_is_own(part, name) for part in listed):
            return True
    return False


_ASKING = frozenset({"len", "print", "isinstance", "type", "id", "hasattr"})
