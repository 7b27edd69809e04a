"""Functions that hang hooks on the parts of a model and do nothing else: no size and no tensor hangs on them.

def watch(module):
    for child in module.children():
        watch_hooks(child)
    module.register_forward_hook(note)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.evaluator.kept_beside import keep_beside

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LEAVING = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)


@keep_beside
def only_hooks(node: ast.AST) -> bool:
    """Whether a function gives nothing back, sets nothing, and calls for their own sake only what is named a hook."""
    if not isinstance(node, ast.FunctionDef):
        return False
    parts = [part for each in node.body for part in _list_own(each)]
    lines = (each.value for each in parts if isinstance(each, ast.Expr))
    calls = [each for each in lines if isinstance(each, ast.Call)]
    return bool(calls) and not any(map(_does_more, parts)) and all(map(_is_hook, calls))


def _list_own(node: ast.AST) -> Iterator[ast.AST]:
    """A node and those below it that run with it."""
    yield node
    if not isinstance(node, _SCOPES):
        for each in ast.iter_child_nodes(node):
            yield from _list_own(each)


def _is_hook(call: ast.Call) -> bool:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return "hook" in name


def _does_more(node: ast.AST) -> bool:
    if isinstance(node, ast.Return):
        return node.value is not None
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return not isinstance(node.ctx, ast.Load)
    return isinstance(node, _LEAVING)
