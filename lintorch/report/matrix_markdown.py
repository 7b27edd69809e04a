"""The matrix as Markdown: for the summary of a job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lintorch.report.characters import make_writable
from lintorch.report.markdown import escape_text, write_table
from lintorch.report.matrix import Matrix, Row
from lintorch.report.matrix_reasons import list_reasons, name_row
from lintorch.report.matrix_table import fill_row, write_summary


def render(matrix: Matrix, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the table, the reasons for all that is not ok, and a summary."""
    for line in _write_lines(matrix):
        out.write(make_writable(line, out) + "\n")


def _write_lines(matrix: Matrix) -> Iterator[str]:
    if matrix.rows:
        heads = ["model", *map(escape_text, matrix.columns)]
        yield from write_table(heads, (_list_cells(row, matrix) for row in matrix.rows))
        yield ""
    for row in matrix.rows:
        if reasons := list_reasons(row):
            yield f"**{escape_text(name_row(row))}**"
            yield ""
            yield from (f"* {escape_text(reason)}" for reason in reasons)
            yield ""
    yield write_summary(matrix)


def _list_cells(row: Row, matrix: Matrix) -> list[str]:
    told = (escape_text(text) for text, _ in fill_row(row, matrix))
    return [
        escape_text(name_row(row)),
        *(each if each.startswith(("ok", "-")) else f"**{each}**" for each in told),
    ]
