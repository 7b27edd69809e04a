"""The edits that put a suppression on the line of each finding."""

from __future__ import annotations

import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable

from lintorch.core.finding import Edit, Finding, Place
from lintorch.suppress.read_comments import Comment, read_comments, split_tokens

_LINE = re.compile(r"[^\r\n]*")


def add_comments(text: str, findings: Iterable[Finding]) -> tuple[Edit, ...]:
    """`# lintorch: ignore[CODE]` behind each finding's line, or its code in the suppression there.

    Of a statement of several lines that is one of those that the finding spans, where its end is
    no part of a string or a continuation, and else the statement's last.
    """
    comments, lines = read_comments(text)
    open_rows = _list_open_rows(text)
    wanted: dict[int, dict[str, None]] = defaultdict(dict)
    for finding in findings:
        row = _choose_row(finding.place, open_rows, lines)
        wanted[row][finding.code] = None
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
    written = {each.row: each for each in comments if _is_extendable(each)}
    return tuple(
        _write_edit(text, starts[row - 1], [*codes], written.get(row))
        for row, codes in sorted(wanted.items())
        if row <= len(starts)
    )


def _is_extendable(comment: Comment) -> bool:
    plain = not (comment.noqa or comment.whole_file or comment.alone)
    return plain and bool(comment.words)


def _list_open_rows(text: str) -> frozenset[int]:
    """The rows at whose end a comment can stand, behind code."""
    ends = (tokenize.NEWLINE, tokenize.NL)
    return frozenset(token.start[0] for token in split_tokens(text) if token.type in ends)


def _choose_row(place: Place, open_rows: frozenset[int], lines: list[range]) -> int:
    row = place.row
    last = next((line.stop - 1 for line in lines if row in line), row)
    spanned = range(row, min(place.end_row or row, last) + 1)
    return next((each for each in spanned if each in open_rows), last)


def _write_edit(text: str, start: int, codes: list[str], comment: Comment | None) -> Edit:
    if comment is not None:
        added = [code for code in codes if code not in comment.words]
        end = comment.listed[1]
        return Edit(end, end, "".join(f", {code}" for code in added))
    line = text[start : _find_end(text, start)]
    kept = start + len(line.rstrip(" \t"))
    return Edit(kept, start + len(line), f"  # lintorch: ignore[{', '.join(codes)}]")


def _find_end(text: str, start: int) -> int:
    found = _LINE.match(text, start)
    return found.end() if found else start
