"""What a tracer of TorchScript never comes to, as its function asks whether it is traced."""

from __future__ import annotations

import ast

from lintorch.evaluator.events import Occurrence
from lintorch.facts.models.evaluation import Evaluation

_TRACING = ("is_tracing", "_is_tracing", "_get_tracing_state")
_BLOCKS = ("body", "orelse", "finalbody")
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def is_hidden_from_tracers(event: Occurrence, evaluation: Evaluation) -> bool:
    """Whether it stands under `not torch.jit.is_tracing()`, or behind a return for tracers.

    Works for events of other files too, of which there is no tree with comments.
    """
    inner: ast.AST = event.node
    for outer in evaluation.list_around(event):
        if isinstance(outer, (ast.If, ast.IfExp)) and inner is not outer.test:
            body = outer.body if isinstance(outer.body, list) else [outer.body]
            if _excludes(outer.test, truth=any(each is inner for each in body)):
                return True
        if _is_behind_return(inner, outer):
            return True
        if isinstance(outer, ast.FunctionDef):
            return False
        inner = outer
    return False


def _is_behind_return(inner: ast.AST, outer: ast.AST) -> bool:
    for name in _BLOCKS:
        block = getattr(outer, name, None)
        if isinstance(block, list) and any(each is inner for each in block):
            before = block[: next(n for n, each in enumerate(block) if each is inner)]
            return any(
                isinstance(each, ast.If)
                and isinstance(each.body[-1], _LEAVES)
                and _excludes(each.test, truth=False)
                for each in before
            )
    return False


def _excludes(test: ast.expr, *, truth: bool) -> bool:
    """Whether nothing is traced where a test comes out so."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _excludes(test.operand, truth=not truth)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if truth else ast.Or):
        return any(_excludes(each, truth=truth) for each in test.values)
    asked = ast.unparse(test.func) if isinstance(test, ast.Call) else ""
    return not truth and asked.rpartition(".")[2] in _TRACING
