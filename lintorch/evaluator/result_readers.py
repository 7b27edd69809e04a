"""Modules that read what a model gave while it is evaluated: no exporter is given one."""

from __future__ import annotations

import ast

from lintorch.evaluator.kept_beside import keep_beside
from lintorch.syntax.python_ast import list_nodes

_QUIET = ("no_grad", "inference_mode")


@keep_beside
def reads_results(owner: ast.ClassDef) -> bool:
    """Whether it holds no layer, and its forward draws pictures with Pillow or is kept from gradients."""
    forward = next(
        (e for e in owner.body if isinstance(e, ast.FunctionDef) and e.name == "forward"), None
    )
    if forward is None or any(map(_holds, list_nodes(owner))):
        return False
    return any(map(_is_quiet, forward.decorator_list)) or any(map(_draws, list_nodes(forward)))


def _draws(node: ast.AST) -> bool:
    """`Image.fromarray(…)`."""
    match node:
        case ast.Call(ast.Attribute(ast.Name("Image"), "fromarray" | "new")):
            return True
    return False


def _is_quiet(decorator: ast.expr) -> bool:
    """`@torch.no_grad()`."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(called, "attr", "") in _QUIET or getattr(called, "id", "") in _QUIET


def _holds(node: ast.AST) -> bool:
    """`self.layer = make()`, or a layer that the constructor is given and forward calls: `self.layer(x)`."""
    match node:
        case ast.Assign([ast.Attribute(ast.Name("self"))], ast.Call()):
            return True
        case ast.Call(ast.Attribute(ast.Name("self"))):
            return True
    return False
