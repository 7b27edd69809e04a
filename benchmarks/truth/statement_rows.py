"""The rows of the statement around each row of a file, and of the `def` around each statement."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class StatementRows:
    """What is found in one file: `statements` by row, and `headers` by the rows of a function's body.

    A statement with a body has the rows of its first line alone, up to the body.
    """

    statements: Mapping[int, range]
    headers: Mapping[int, range]

    def widen(self, first: int, last: int) -> frozenset[int]:
        """The rows of all statements that begin, end or go on in these rows."""
        rows = range(first, max(first, last) + 1)
        return frozenset(each for row in rows for each in self.statements.get(row, (row,)))

    def add_headers(self, rows: frozenset[int]) -> frozenset[int]:
        """These rows and those of the `def` of each function that holds one."""
        return rows | {each for row in rows for each in self.headers.get(row, ())}


def read_statement_rows(file: Path) -> StatementRows:
    """Nothing where the file does not parse: each row then stands alone."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, ValueError, SyntaxError):
        return StatementRows({}, {})
    statements: dict[int, range] = {}
    headers: dict[int, range] = {}
    for node in ast.walk(tree):  # from the outside inwards: the innermost is written last
        if isinstance(node, ast.stmt):
            rows = _list_own_rows(node)
            statements |= dict.fromkeys(rows, rows)
            if isinstance(node, _FUNCTIONS):
                headers |= dict.fromkeys(range(rows.stop, (node.end_lineno or 0) + 1), rows)
    return StatementRows(statements, headers)


def _list_own_rows(statement: ast.stmt) -> range:
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    last = statement.end_lineno or statement.lineno
    if body:
        inner = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
        last = max(statement.lineno, inner.lineno - 1)
    return range(statement.lineno, last + 1)
