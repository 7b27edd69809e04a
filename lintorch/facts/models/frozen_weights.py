"""Whether code turns the gradients of weights off."""

from __future__ import annotations

import ast

from lintorch.syntax.python_ast import list_nodes

_NAMES = ("requires_grad", "requires_grad_")


def may_freeze(tree: ast.AST) -> bool:
    """Whether gradients are turned off, or asked for; `real.requires_grad_()` and `x.requires_grad = True` turn them on."""
    on = {id(each) for node in list_nodes(tree) for each in _list_turned_on(node)}
    return any(
        isinstance(each, ast.Attribute) and each.attr in _NAMES and id(each) not in on
        for each in list_nodes(tree)
    )


def _list_turned_on(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Assign(targets, ast.Constant(True)):
            return targets
        case ast.Call(ast.Attribute() as called, [] | [ast.Constant(True)], []):
            return [called]
    return []
