"""How deep a text is nested: the parser (libcst) takes quadratic time in it, and crashes at a few thousand."""

from __future__ import annotations

import ast
from collections.abc import Iterator

MOST = 300
"""Expressions nested deeper than this are not parsed; the deepest in 6,872 files of PyPI packages has 52."""
_SHORT = 2 * MOST
"""Characters below which no expression can be nested so deeply."""


def too_deep(text: str) -> bool:
    """Whether an expression is nested beyond what can be parsed. Raises SyntaxError."""
    lines = text.splitlines(keepends=True)
    try:
        return any(_depth(part) > MOST for part in _long(ast.parse(text), lines))
    except (RecursionError, MemoryError):
        return True


def _long(tree: ast.Module, lines: list[str]) -> Iterator[ast.AST]:
    """The expressions of statements that are long enough to be suspicious."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.excepthandler)):
                waiting.append(child)
            elif isinstance(child, ast.expr) and _length(child, lines) > _SHORT:
                yield child


def _length(node: ast.expr, lines: list[str]) -> int:
    last = node.end_lineno or node.lineno
    if last == node.lineno:
        return (node.end_col_offset or 0) - node.col_offset
    return sum(len(line) for line in lines[node.lineno - 1 : last])


def _depth(node: ast.AST) -> int:
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        each, depth = waiting.pop()
        deepest = max(deepest, depth)
        inner = depth + (len(each.values) if isinstance(each, ast.BoolOp) else 1)
        waiting += [(child, inner) for child in ast.iter_child_nodes(each)]
    return deepest
