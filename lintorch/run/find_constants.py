"""Whether a tensor that a line makes of numbers is made of the same ones whenever the model runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_MAKERS = frozenset({"tensor", "as_tensor"})


def is_same_tensor(text: str, row: int) -> bool:
    """Whether all calls of torch.tensor at a row take literals, and attributes that only `__init__` sets.

    What a tracer keeps of such a line as a constant is one. False where the text is no Python of this release.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    calls = [node for node in ast.walk(tree) if _makes(node, row)]
    kept = {name for each in ast.walk(tree) if _holds(each, row) for name in _list_kept(each)}
    return bool(calls) and all(
        _is_same(value, kept) for call in calls for value in _list_values(call)
    )


def _makes(node: ast.AST, row: int) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _MAKERS
        and node.lineno <= row <= (node.end_lineno or node.lineno)
    )


def _holds(node: ast.AST, row: int) -> bool:
    return isinstance(node, ast.ClassDef) and node.lineno <= row <= (node.end_lineno or 0)


def _list_kept(kind: ast.AST) -> Iterator[str]:
    """The attributes of a class that its `__init__` sets, and none of its other methods."""
    methods = [each for each in ast.iter_child_nodes(kind) if isinstance(each, ast.FunctionDef)]
    made = [each for each in methods if each.name == "__init__"]
    later = {name for each in methods if each not in made for name in _list_set(each)}
    yield from (name for each in made for name in _list_set(each) if name not in later)


def _list_set(method: ast.AST) -> Iterator[str]:
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _list_values(call: ast.AST) -> list[ast.expr]:
    if not isinstance(call, ast.Call):
        return []
    return [*call.args, *(each.value for each in call.keywords if each.arg in (None, "data"))]


def _is_same(value: ast.expr, kept: set[str]) -> bool:
    if isinstance(value, ast.Constant):
        return True
    if isinstance(value, ast.Attribute):
        return isinstance(value.value, ast.Name) and value.value.id == "self" and value.attr in kept
    if isinstance(value, (ast.List, ast.Tuple)):
        return all(_is_same(part, kept) for part in value.elts)
    if isinstance(value, ast.BinOp):
        return _is_same(value.left, kept) and _is_same(value.right, kept)
    return isinstance(value, ast.UnaryOp) and _is_same(value.operand, kept)
