"""Whether a line only checks something, and raises or tells where it does not hold."""

from __future__ import annotations

import ast

from lintorch.facts.models.branch_purpose import only_checks


def is_only_check(text: str, row: int) -> bool:
    """Whether a row is of an assert, or of the condition of an `if` that does nothing but raise or tell.

    Nothing that a tracer records comes of such a line. False where the text is no Python of this release.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(_covers(node, row) for node in ast.walk(tree))


def _covers(node: ast.AST, row: int) -> bool:
    if isinstance(node, ast.Assert):
        last = node.end_lineno or node.lineno
    elif isinstance(node, ast.If) and only_checks(node):
        last = node.test.end_lineno or node.lineno
    else:
        return False
    test = node.test
    names = any(isinstance(part, ast.NamedExpr) for part in ast.walk(test))
    return node.lineno <= row <= last and not names
