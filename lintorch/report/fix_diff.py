"""A fix as a small diff of the rows that it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from lintorch.core.finding import Edit
from lintorch.core.text_rows import Rows, split_rows
from lintorch.report.characters import count_columns, show_characters
from lintorch.report.code_frame import count_room, draw_gutter, find_leftmost
from lintorch.report.styled_lines import Line, Screen, clip_line

_LONGEST = 12
"""Rows of a diff that are shown: a finding with its fix stays on one screen of 24 rows."""


@dataclass(frozen=True)
class Change:
    """Rows that go, from `row` on, and rows that come in their place."""

    row: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def draw_diff(text: str, edits: Sequence[Edit], screen: Screen) -> Iterator[Line]:
    """Rows that go and come; no line where the edits overlap or reach beyond the text."""
    rows = split_rows(text)
    lines = [
        line for change in group_edits(rows, edits) for line in _draw_change(rows, change, screen)
    ]
    yield from lines[:_LONGEST]
    if hidden := len(lines[_LONGEST:]):
        note = f"{screen.glyphs.more} {hidden} more row{'s' if hidden > 1 else ''}"
        yield *draw_gutter(rows, None, (" ", "")), (note, "dim")


def group_edits(rows: Rows, edits: Sequence[Edit]) -> Iterator[Change]:
    """The edits row by row; those that touch the same rows make one change."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    ends = [0, *(edit.end for edit in ordered)]
    starts = [*(edit.start for edit in ordered), len(rows.text)]
    if any(stop > begin for stop, begin in zip(ends, starts, strict=True)):
        return
    group: list[Edit] = []
    for edit in ordered:
        if group and rows.find_position(edit.start)[0] > rows.find_position(group[-1].end)[0]:
            yield _merge_edits(rows, group)
            group = []
        group.append(edit)
    if group:
        yield _merge_edits(rows, group)


def _merge_edits(rows: Rows, group: Sequence[Edit]) -> Change:
    first, last = rows.find_position(group[0].start)[0], rows.find_position(group[-1].end)[0]
    at, changed = rows.find_offset(first), ""
    for edit in group:
        changed += rows.text[at : edit.start] + edit.content
        at = edit.end
    old = rows.lines[first - 1 : last]
    tail = rows.find_offset(last) + len(rows.lines[last - 1])
    new = Rows(changed + rows.text[at:tail]).lines
    same = _count_alike(old, new)
    kept = _count_alike(old[same:][::-1], new[same:][::-1])
    return Change(
        first + same, tuple(old[same : len(old) - kept]), tuple(new[same : len(new) - kept])
    )


def _draw_change(rows: Rows, change: Change, screen: Screen) -> Iterator[Line]:
    shown = [show_characters(screen.fit(line)) for line in (*change.old, *change.new)]
    widest = max((count_columns("".join(line)) for line in shown), default=0)
    begin, space = _first_difference(change, shown), count_room(rows, screen)
    left = find_leftmost(begin, begin + space // 2, widest, space)
    for index, line in enumerate(shown):
        goes = index < len(change.old)
        sign, style = ("-", "removed") if goes else ("+", "added")
        number = change.row + index if goes else None
        code = clip_line([(text, style) for text in line], left, space, screen.glyphs.more)
        yield *draw_gutter(rows, number, (sign, style)), *code


def _first_difference(change: Change, shown: Sequence[list[str]]) -> int:
    """The column where the first row that comes leaves the first that goes; 0 without both."""
    if not (change.old and change.new):
        return 0
    before, after = shown[0], shown[len(change.old)]
    return count_columns("".join(before[: _count_alike(before, after)]))


def _count_alike(first: Sequence[str], second: Sequence[str]) -> int:
    """How many items two sequences begin with in common."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
