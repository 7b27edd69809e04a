"""A record as Markdown: for a comment on a change, and for the summary of a job."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TextIO
from urllib.parse import quote

from lintorch.report.change_lines import list_changes, summarise_changes
from lintorch.report.characters import make_writable
from lintorch.report.markdown import escape_text, write_table
from lintorch.report.matrix import OK
from lintorch.report.matrix_timings import HEADS, describe_timing, list_cells, list_notes
from lintorch.report.read_timing import read_timing
from lintorch.report.record_cells import group_trials, name_column, write_cell
from lintorch.report.record_changes import Record
from lintorch.report.record_reasons import Reason, list_fixes, list_reasons, write_location
from lintorch.report.record_summary import summarise_record
from lintorch.report.summary_line import write_count

LIMIT = 65_536
"""Characters that GitHub takes as a comment; a summary of a job may be longer."""
_FOR_THE_END = 1000
_MOST_CHANGES = 40
_MOST_OPEN = 20
"""Models above which those that are right are folded."""


@dataclass(frozen=True)
class _Block:
    """What is said of one model, and the same with its fixes."""

    text: str
    with_fixes: str


def render(record: Record, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the table, the reasons for all that is not ok with fixes folded, and a summary."""
    for line in write_markdown(record):
        out.write(make_writable(line, out) + "\n")


def write_markdown(record: Record) -> Iterator[str]:
    """Lines: the table, the reasons for all that is not ok with fixes folded, a summary.

    All together are no more than `LIMIT`; what was left out for that is said.
    """
    opening = [*_write_changes(record)]
    yield from opening
    trials = group_trials(record)
    room = LIMIT - _FOR_THE_END - _measure_lines(opening)
    table, rows_left = _fit_table(record, trials, room)
    yield from table
    blocks, models_left, fixes_left = _fit_blocks(
        [*_list_blocks(record, trials)], room - _measure_lines(table)
    )
    yield from blocks
    for model in record["models"]:
        yield from _write_timing(model)
    left = [
        f"{write_count(rows_left, 'row')} of the table" if rows_left else "",
        f"what is said of {write_count(models_left, 'model')}" if models_left else "",
        f"the fixes of {write_count(fixes_left, 'model')}" if fixes_left else "",
    ]
    if any(left):
        yield f"Left out, as a comment takes {LIMIT:,} characters: {', '.join(filter(None, left))}."
        yield ""
    yield escape_text(summarise_record(record))


def _measure_lines(lines: Iterable[str]) -> int:
    """In bytes, of which no fewer are than of whatever else counts as characters."""
    return sum(len(line.encode("utf-8", "replace")) + 1 for line in lines)


def _fit_blocks(blocks: Sequence[_Block], room: int) -> tuple[list[str], int, int]:
    """The texts that fit, how many models are left out, and of how many others the fixes are."""
    shown: list[str] = []
    models_left = fixes_left = 0
    for block in blocks:
        fitting = [each for each in (block.with_fixes, block.text) if _measure_lines([each]) < room]
        if not fitting:
            models_left += 1
            continue
        fixes_left += fitting[0] != block.with_fixes
        room -= _measure_lines(fitting[:1])
        shown.append(fitting[0])
    return shown, models_left, fixes_left


def _fit_table(
    record: Record, trials: Mapping[str, list[dict[str, Any]]], room: int
) -> tuple[list[str], int]:
    """The lines of the table, and how many rows there was no room for; right ones go first."""
    heads = ["model", *map(escape_text, record["columns"])]
    rows = [
        (_is_right(m, trials[m["model"]]), _list_cells(m, trials, record)) for m in record["models"]
    ]
    folds = len(rows) > _MOST_OPEN
    bad = [cells for right, cells in rows if not (right and folds)]
    good = [cells for right, cells in rows if right and folds]
    shown, room = _take_rows(bad, room // 2)
    lines = [*write_table(heads, shown), ""] if shown else []
    kept, _ = _take_rows(good, room)
    if kept:
        lines += [
            f"<details><summary>{write_count(len(good), 'model')} without a fault</summary>",
            "",
        ]
        lines += [*write_table(heads, kept), "", "</details>", ""]
    return lines, len(rows) - len(shown) - len(kept)


def _take_rows(rows: list[list[str]], room: int) -> tuple[list[list[str]], int]:
    """Those that fit, and the room that is left."""
    taken = []
    for cells in rows:
        room -= _measure_lines(cells) + 3 * len(cells) + _count_bars(cells)
        if room < 0:
            break
        taken.append(cells)
    return taken, room


def _count_bars(cells: Iterable[str]) -> int:
    """The characters that a table adds to its cells."""
    return sum(cell.count("|") for cell in cells)


def _is_right(model: Mapping[str, Any], trials: list[dict[str, Any]]) -> bool:
    return not model.get("cause") and all(trial["status"] == OK for trial in trials)


def _list_cells(
    model: Mapping[str, Any], trials: Mapping[str, list[dict[str, Any]]], record: Record
) -> list[str]:
    told: dict[str, list[str]] = defaultdict(list)
    for trial in trials[model["model"]]:
        told[name_column(trial)].append(write_cell(trial))
    cells = [escape_text(" / ".join(told[column])) or "-" for column in record["columns"]]
    bold = (each if each.startswith(("ok", "-")) else f"**{each}**" for each in cells)
    return [escape_text(model["model"]), *bold]


def _list_blocks(record: Record, trials: Mapping[str, list[dict[str, Any]]]) -> Iterator[_Block]:
    shown: set[int] = set()
    for model in record["models"]:
        reasons = list_reasons(model, list(trials[model["model"]]))
        if not reasons:
            continue
        found = [record["findings"][n] for n in model["findings"] if n not in shown]
        fixes = [f for f in list_fixes(found, reasons) if f["fix"]["diff"]]
        shown |= {n for n in model["findings"] if record["findings"][n] in fixes}
        lines = [f"**{escape_text(model['model'])}**", ""]
        lines += [f"* {_write_reason(reason, record.get('link'))}" for reason in reasons]
        folded = [line for finding in fixes for line in _fold_fix(finding)]
        text = "\n".join([*lines, ""])
        yield _Block(text, "\n".join([*lines, "", *folded]) if folded else text)


def _write_reason(reason: Reason, link: str | None) -> str:
    place = _link_place(reason.at, link) if reason.at else ""
    return " ".join(
        filter(None, [f"{place}:" if place else "", reason.code, escape_text(reason.text)])
    )


def _link_place(at: Mapping[str, Any], link: str | None) -> str:
    """A place, which leads to its line where it is known what shows it."""
    text = escape_text(write_location(at))
    if not link or at["cell"] or at["filename"].startswith(("/", "../")):
        return text
    shown = re.sub(r"([\[\]])", r"\\\1", text)
    return f"[{shown}]({link}{quote(at['filename'])}#L{at['row']})"


def _fold_fix(finding: Mapping[str, Any]) -> Iterator[str]:
    at = {
        "filename": finding["filename"],
        "cell": finding["cell"],
        "row": finding["location"]["row"],
    }
    fix = finding["fix"]
    what = f"{fix['applicability']} fix of {write_location(at)}: {fix['message']}"
    yield f"<details><summary>{escape_text(what).replace('`', '')}</summary>"
    yield ""
    rows = [
        f"{sign}{text}"
        for change in fix["diff"]
        for sign, texts in (("-", change["old"]), ("+", change["new"]))
        for text in texts
    ]
    fence = "`" * (1 + max(_list_runs(rows)))
    yield from (f"{fence}diff", *rows, fence, "", "</details>", "")


def _list_runs(rows: Iterable[str]) -> Iterator[int]:
    """How long the runs of backticks are, in which no fence may stand."""
    yield 2  # that of an ordinary fence, less one
    for row in rows:
        yield from (len(run) for run in re.findall("`+", row))


def _write_timing(model: Mapping[str, Any]) -> Iterator[str]:
    timing = read_timing(model.get("timing"))
    if timing is None:
        return
    yield f"**{escape_text(model['model'])}** {escape_text(describe_timing(timing))}"
    yield ""
    if not timing.stopped:
        cells = ([*map(escape_text, each)] for each in list_cells(timing))
        yield from write_table([*HEADS], cells)
        yield ""
        yield from (f"* {escape_text(note)}" for note in list_notes(timing))
        yield ""


def _write_changes(record: Record) -> Iterator[str]:
    """What has changed since another record, where it was compared."""
    if not (summary := summarise_changes(record)):
        return
    yield f"**{escape_text(summary[0].upper() + summary[1:])}**"
    yield ""
    for name, change, reasons in islice(list_changes(record), _MOST_CHANGES):
        mark = "**" if change["worse"] else ""
        why = "".join(f"; {_write_reason(reason, record.get('link'))}" for reason in reasons)
        yield f"* {escape_text(name)}: {mark}{change['kind']}{mark}: {escape_text(change['message'])}{why}"
    more = sum(record["changes"]["counts"].values()) - _MOST_CHANGES
    if more > 0:
        yield f"* and {more} more"
    yield ""
