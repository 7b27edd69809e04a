"""The parts of a file that are worth showing: the functions around the rows that are spoken of."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from lintorch.core.text_rows import split_rows

_AROUND = 3
"""Rows before and behind one that stands in no function."""
_LONGEST = 120
"""Rows of a function that are shown whole."""
_AROUND_IN_LONG = 25
_MOST_ROWS = 40
"""Rows of a span that are spoken of."""


@dataclass
class PartsOfFiles:
    """The rows that are spoken of, by path and cell; 0 stands for no cell."""

    rows: dict[tuple[str, int], set[int]] = field(default_factory=lambda: defaultdict(set))

    def add(self, path: str, cell: int, row: int, last: int = 0) -> None:
        """Take note of a row, or of those of a span."""
        self.rows[path, cell].update(range(row, min(max(row, last), row + _MOST_ROWS) + 1))


def list_parts(text: str, rows: Collection[int]) -> Iterator[tuple[int, str]]:
    """The first row and the text of each part, in order; none overlap or touch."""
    lines = split_rows(text).lines
    spans = _list_functions(text)
    wanted = sorted(_choose_span(row, spans) for row in rows if 0 < row <= len(lines))
    joined: list[tuple[int, int]] = []
    for first, last in wanted:
        if joined and first <= joined[-1][1] + 1:
            first, last = joined[-1][0], max(joined.pop()[1], last)
        joined.append((first, last))
    for first, last in joined:
        yield first, "\n".join(lines[first - 1 : last])


def _choose_span(row: int, spans: Collection[tuple[int, int]]) -> tuple[int, int]:
    around = [span for span in spans if span[0] <= row <= span[1]]
    first, last = max(around, default=(row - _AROUND, row + _AROUND))
    if last - first >= _LONGEST:
        first, last = max(first, row - _AROUND_IN_LONG), min(last, row + _AROUND_IN_LONG)
    return max(first, 1), last


def _list_functions(text: str) -> list[tuple[int, int]]:
    """The first and last row of each function, with its decorators; none of what is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        (min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.end_lineno or 0)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
