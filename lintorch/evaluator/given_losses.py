"""Functions that give nothing but losses: no part of a model that is deployed, whatever they are called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.evaluator.kept_beside import keep_beside
from lintorch.syntax.python_ast import list_inner

_BLOCKS = (
    ast.If, ast.For, ast.While, ast.With, ast.Try, ast.ExceptHandler, ast.Match, ast.match_case,
)  # fmt: skip
"""What a return may stand in, that is the function's own."""
_LOSS = re.compile(r"(^|_)loss(es)?(_|$)")


@keep_beside
def gives_losses(function: ast.AST) -> bool:
    """`return losses`, as the `forward_train` of a detector ends; each way out of it gives such a name."""
    given = [each.value for each in _list_returns(function) if each.value is not None]
    return bool(given) and all(map(_names_loss, given))


def _list_returns(node: ast.AST) -> Iterator[ast.Return]:
    for each in list_inner(node):
        if isinstance(each, ast.Return):
            yield each
        elif isinstance(each, _BLOCKS):
            yield from _list_returns(each)


def _names_loss(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(_names_loss, value.elts))
    return isinstance(value, ast.Name) and bool(_LOSS.search(value.id))
