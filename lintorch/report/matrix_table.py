"""The matrix for people: a table of models and exporters, then the reason for all that is not ok."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lintorch.report.characters import count_columns, make_writable
from lintorch.report.compared_sizes import is_compared_once
from lintorch.report.matrix import (
    DOUBTFUL,
    FAILED,
    LOSSY,
    NOT_EAGER,
    OK,
    STOPPED,
    UNAVAILABLE,
    WRONG,
    Matrix,
    Row,
    Tried,
)
from lintorch.report.matrix_losses import is_beyond, write_share
from lintorch.report.matrix_reasons import name_row, write_reasons, write_right_rows
from lintorch.report.matrix_timings import write_timing
from lintorch.report.styled_lines import Line, Screen
from lintorch.report.summary_line import write_count

_STYLES = {
    OK: "good",
    DOUBTFUL: "warning",
    LOSSY: "warning",
    WRONG: "error",
    FAILED: "error",
    NOT_EAGER: "warning",
    STOPPED: "warning",
    UNAVAILABLE: "warning",
}
_COLOURS = {"good": "bold green", "error": "bold red", "warning": "bold yellow", "dim": "dim"}
_NONE = ("-", "dim")


def render(matrix: Matrix, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the table, the reasons and a summary; `width` is None where there is no terminal."""
    screen = Screen.of(out, color, width)
    if matrix.rows:
        heads = ["model", *matrix.columns]
        cells = [[(name_row(row), ""), *fill_row(row, matrix)] for row in matrix.rows]
        if width is None:
            screen.write(_align_columns(heads, cells))
        else:
            _draw_table(heads, cells, out, color, width)
    for row in matrix.rows:
        screen.write(write_reasons(row, screen))
    screen.write(write_right_rows(matrix.rows, screen))
    for row in matrix.rows:
        screen.write(write_timing(row, name_row(row)))
    screen.write([(), [(write_summary(matrix), "")]])


def fill_row(row: Row, matrix: Matrix) -> Iterator[tuple[str, str]]:
    """What became of the model in each column; more than one word where it was tried twice."""
    for column in matrix.columns:
        found = [each for each in row.tried if each.column == column]
        worst = max(found, key=lambda each: list(_STYLES).index(each.status), default=None)
        told = " / ".join(map(_write_cell, found))
        yield (told, _STYLES[worst.status]) if worst else _NONE


def _write_cell(each: Tried) -> str:
    if each.outcome.status == "random" and each.status == OK:
        return "ok, random"
    amounts = [amount for amount in each.outcome.wrong_at.values() if amount is not None]
    if each.status == WRONG and amounts:
        return f"wrong by {max(amounts):.2g}"
    loss = each.outcome.loss
    if loss is not None and each.status in (OK, LOSSY):
        in_eager = each.status == LOSSY and not is_beyond(loss.exported, loss.tolerance)
        return "lossy in eager" if in_eager else f"{each.status}, {write_share(loss.exported)} off"
    if each.status != OK:
        return each.status
    limits = dict.fromkeys(limit.condition for limit in each.outcome.limits)
    if limits:
        return f"ok for {' and '.join(limits)}"
    return "ok at one size" if is_compared_once(each.outcome) else OK


def _align_columns(heads: list[str], cells: list[list[tuple[str, str]]]) -> Iterator[Line]:
    """Columns aligned with blanks."""
    rows = [[(head, "dim") for head in heads], *cells]
    widths = [max(count_columns(row[place][0]) for row in rows) for place in range(len(heads))]
    for row in rows:
        yield [
            piece
            for (text, style), width in zip(row, widths, strict=True)
            for piece in ((text, style), (" " * (width - count_columns(text) + 2), ""))
        ]


def _draw_table(
    heads: list[str], cells: list[list[tuple[str, str]]], out: TextIO, color: bool, width: int
) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    table = Table(*map(escape, heads))
    for row in cells:
        table.add_row(
            *(Text(make_writable(text, out), _COLOURS.get(style, "")) for text, style in row)
        )
    Console(file=out, width=width, no_color=not color, highlight=False).print(table)


def write_summary(matrix: Matrix) -> str:
    """How many exports of how many models came to what."""
    tried = sum(len(row.tried) for row in matrix.rows)
    counts = ", ".join(f"{number} {status}" for status, number in matrix.count_statuses().items())
    models = sum(row.model is not None for row in matrix.rows)
    stages = [row.failure.stage for row in matrix.rows if row.failure is not None]
    stopped = stages.count("stopped")
    told = [
        f"{write_count(tried, 'export')} of {write_count(models, 'model')}: {counts or 'none tried'}"
    ]
    if lost := len(stages) - stopped:
        told.append(f"{lost} not exported")
    if stopped:
        told.append(f"{write_count(stopped, 'model')} stopped")
    return "; ".join(told)
