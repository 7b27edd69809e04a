"""Findings of a text as far as they hold in another version of it, while that is not looked at yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from lintorch.core.finding import Edit, Finding, Fix, Place

_NEWLINE = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class Change:
    """What stands between the first and the last characters that two texts share, in whole rows.

    Rows up to `above` stay; those from `below` in the old text move by `rows`. Characters before
    `start` stay; those from `stop` in the old text move by `characters`.
    """

    above: int
    below: int
    rows: int
    start: int
    stop: int
    characters: int

    @property
    def new_rows(self) -> range:
        """The rows of the new text that are changed."""
        return range(self.above + 1, self.below + self.rows)


def find_change(old: str, new: str) -> Change:
    """What changed between two texts."""
    first, second = _split_rows(old), _split_rows(new)
    shorter = min(len(first), len(second))
    above = next((n for n in range(shorter) if first[n] != second[n]), shorter)
    left = shorter - above
    same = next((n for n in range(left) if first[-1 - n] != second[-1 - n]), left)
    start = sum(map(len, first[:above]))
    stop = len(old) - sum(map(len, first[len(first) - same :]))
    below = len(first) - same + 1
    return Change(above, below, len(second) - len(first), start, stop, len(new) - len(old))


def move_findings(findings: Iterable[Finding], change: Change) -> Iterator[Finding]:
    """The findings that stand on rows which did not change, where these are now."""
    for finding in findings:
        place = _move_place(finding.place, change)
        if place is not None:
            also = (_move_place(each, change) for each in finding.also)
            fix = finding.fix and _move_fix(finding.fix, change)
            yield replace(finding, place=place, also=tuple(filter(None, also)), fix=fix)


def _move_place(place: Place, change: Change) -> Place | None:
    if place.row <= change.above:
        return place if place.end_row <= change.above else replace(place, end_row=0, end_column=0)
    if place.row < change.below:
        return None
    end = place.end_row and place.end_row + change.rows
    return replace(place, row=place.row + change.rows, end_row=end)


def _move_fix(fix: Fix, change: Change) -> Fix | None:
    edits = [_move_edit(edit, change) for edit in fix.edits]
    moved = tuple(edit for edit in edits if edit is not None)
    return replace(fix, edits=moved) if len(moved) == len(edits) else None


def _move_edit(edit: Edit, change: Change) -> Edit | None:
    if edit.end <= change.start:
        return edit
    if edit.start < change.stop:
        return None
    return Edit(edit.start + change.characters, edit.end + change.characters, edit.content)


def _split_rows(text: str) -> list[str]:
    """The rows of a text with their ends."""
    starts = [0, *(each.end() for each in _NEWLINE.finditer(text)), len(text)]
    return [text[a:b] for a, b in pairwise(starts)]
