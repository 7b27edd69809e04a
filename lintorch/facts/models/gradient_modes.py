"""Whether gradients are recorded where something happens: around it, and around the calls that led there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from lintorch.evaluator.events import Occurrence
from lintorch.facts.models.evaluation import Evaluation

_SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled")


def may_be_free(event: Occurrence, evaluation: Evaluation) -> bool:
    """Whether gradients are switched off there, or may be."""
    return any(_switches(each) for each in evaluation.list_all_around(event))


def _switches(node: ast.AST) -> bool:
    return any(word in ast.unparse(each) for each in _list_managers(node) for word in _SWITCHES)


def _list_managers(node: ast.AST) -> Iterator[ast.expr]:
    """What a block is entered with, and the decorators of a function."""
    items: Iterable[ast.withitem] = (
        node.items if isinstance(node, (ast.With, ast.AsyncWith)) else ()
    )
    yield from (item.context_expr for item in items)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield from node.decorator_list
