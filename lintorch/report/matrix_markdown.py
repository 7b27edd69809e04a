"""The matrix as Markdown: for the summary of a job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lintorch.report.characters import make_writable
from lintorch.report.markdown import escape_text, write_table
from lintorch.report.matrix import Matrix, Row
from lintorch.report.matrix_reasons import list_reasons, name_row
from lintorch.report.matrix_table import fill_row, write_summary
from lintorch.report.matrix_timings import HEADS, describe_timing, list_cells, list_notes


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
    for row in matrix.rows:
        yield from _write_timing(row)
    yield write_summary(matrix)


def _write_timing(row: Row) -> Iterator[str]:
    if row.timing is None:
        return
    yield f"**{escape_text(name_row(row))}** {escape_text(describe_timing(row.timing))}"
    yield ""
    if not row.timing.stopped:
        cells = ([*map(escape_text, each)] for each in list_cells(row.timing))
        yield from write_table([*HEADS], cells)
        yield ""
        yield from (f"* {escape_text(note)}" for note in list_notes(row.timing))
        yield ""


def _list_cells(row: Row, matrix: Matrix) -> list[str]:
    told = (escape_text(text) for text, _ in fill_row(row, matrix))
    return [
        escape_text(name_row(row)),
        *(each if each.startswith(("ok", "-")) else f"**{each}**" for each in told),
    ]
