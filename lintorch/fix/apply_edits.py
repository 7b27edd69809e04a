"""Puts fixes into a text: each whole or not at all, the first of those that get in each other's way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from lintorch.core.finding import Edit, Fix

_BARE_NEWLINE = re.compile(r"(?<!\r)\n")


@dataclass(frozen=True)
class Applied:
    """A text with fixes in it, and which went in and which did not, in the order given."""

    text: str
    applied: tuple[Fix, ...] = ()
    skipped: tuple[Fix, ...] = ()


def apply_fixes(text: str, fixes: Iterable[Fix]) -> Applied:
    """Put in every fix that is in no earlier one's way.

    Edits of different fixes may neither overlap nor touch, for `a` made `b + c` and `.sum()`
    put behind it are both right and together wrong; edits of whole lines may touch. An edit
    that two fixes share goes in once (so does a fix given twice), unless it inserts less than a line: two fixes that each
    add `)` at one point mean two of them. New lines end as the text's own do.
    """
    taken: dict[Edit, None] = {}
    wholes: set[tuple[Edit, ...]] = set()
    applied: list[Fix] = []
    skipped: list[Fix] = []
    for fix in fixes:
        edits = tuple(dict.fromkeys(_with_newlines_of(text, edit) for edit in fix.edits))
        if _is_sound(text, edits) and (
            edits in wholes or not any(_edits_clash(text, a, b) for a in taken for b in edits)
        ):
            wholes.add(edits)
            taken.update(dict.fromkeys(edits))
            applied.append(fix)
        else:
            skipped.append(fix)
    return Applied(apply_edits(text, taken), tuple(applied), tuple(skipped))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with these edits, which must not overlap; insertions at one point in order."""
    pieces: list[str] = []
    reached = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        pieces += text[reached : edit.start], edit.content
        reached = edit.end
    return "".join([*pieces, text[reached:]])


def _with_newlines_of(text: str, edit: Edit) -> Edit:
    if text[text.find("\n") - 1 : text.find("\n")] != "\r":
        return edit
    return replace(edit, content=_BARE_NEWLINE.sub("\r\n", edit.content))


def _is_sound(text: str, edits: tuple[Edit, ...]) -> bool:
    """Whether a fix lies within the text, changes it, and does not overlap itself."""
    ordered = sorted(edits, key=lambda e: (e.start, e.end))
    return (
        all(0 <= e.start <= e.end <= len(text) for e in ordered)
        and any(text[e.start : e.end] != e.content for e in ordered)
        and all(a.end <= b.start for a, b in pairwise(ordered))
    )


def _edits_clash(text: str, first: Edit, second: Edit) -> bool:
    """Whether edits of two fixes cannot both go in."""
    if first.end < second.start or second.end < first.start:
        return False
    lines = _whole_lines(text, first) or _whole_lines(text, second)
    if first == second:
        return first.start == first.end and not lines
    touching = first.end == second.start or second.end == first.start
    return not (touching and lines)


def _whole_lines(text: str, edit: Edit) -> bool:
    """Whether an edit puts whole lines in the place of whole lines."""
    begins = edit.start == 0 or text[edit.start - 1] in "\r\n"
    ends = edit.end == len(text) or edit.end == 0 or text[edit.end - 1] in "\r\n"
    return begins and ends and (not edit.content or edit.content.endswith("\n"))
