"""A record for people: a table of models and exporters, then the reason for all that is not ok."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from lintorch.report.change_lines import draw_changes
from lintorch.report.characters import count_columns, join_lines, make_writable
from lintorch.report.matrix import (
    DOUBTFUL,
    FAILED,
    LOSSY,
    NOT_EAGER,
    OK,
    STOPPED,
    UNAVAILABLE,
    WRONG,
)
from lintorch.report.matrix_timings import write_timing
from lintorch.report.read_timing import read_timing
from lintorch.report.record_cells import Trial, group_trials, name_column, write_cell
from lintorch.report.record_changes import Record
from lintorch.report.record_notes import write_notes, write_quiet_models
from lintorch.report.record_summary import summarise_record
from lintorch.report.styled_lines import Line, Screen

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


def render(record: Record, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the table, the reasons and a summary; `width` is None where there is no terminal."""
    screen, trials = Screen.of(out, color, width), group_trials(record)
    columns = record["columns"]
    if record["models"]:
        heads = ["model", *columns]
        cells = [
            [(join_lines(m["model"]), ""), *_fill_row(trials[m["model"]], columns)]
            for m in record["models"]
        ]
        if width is None:
            screen.write(_align_columns(heads, cells))
        else:
            _draw_table(heads, cells, out, color, width)
    for model in record["models"]:
        screen.write(write_notes(model, trials[model["model"]], screen))
    screen.write(write_quiet_models(record["models"], trials, screen))
    for model in record["models"]:
        screen.write(write_timing(read_timing(model.get("timing")), model["model"]))
    screen.write([(), [(summarise_record(record), "")]])
    screen.write(draw_changes(record, screen))


def _fill_row(trials: Sequence[Trial], columns: list[str]) -> Iterator[tuple[str, str]]:
    """What became of the model in each column; more than one word where it was tried twice."""
    for column in columns:
        found = [each for each in trials if name_column(each) == column]
        worst = max(found, key=lambda each: list(_STYLES).index(each["status"]), default=None)
        told = " / ".join(map(write_cell, found))
        yield (told, _STYLES[worst["status"]]) if worst else _NONE


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
