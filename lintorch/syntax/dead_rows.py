"""Rows that never run as they stand: the body of `if False:`, what stands behind `else` of `if True:`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from lintorch.syntax.python_ast import list_nodes

_SWITCH = re.compile(r"^[ \t]*(el)?(if|while)[ \t(]+(True|False|0|1)\b[ \t)]*:", re.MULTILINE)


def list_dead_rows(text: str) -> tuple[range, ...]:
    """The rows of each such block, of text that parses."""
    if not _SWITCH.search(text):
        return ()
    return tuple(
        range(block[0].lineno, (block[-1].end_lineno or block[-1].lineno) + 1)
        for node in list_nodes(ast.parse(text))
        for block in _list_dead(node)
        if block
    )


def _list_dead(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    match node:
        case ast.If(test=ast.Constant(value=bool() | int() as value), body=body, orelse=other):
            yield other if value else body
        case ast.While(test=ast.Constant(value=bool() | int() as value), body=body) if not value:
            yield body
