"""Lines of styled pieces, and the stream they are written to."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TextIO

from lintorch.report.characters import (
    Glyphs,
    choose_glyphs,
    count_columns,
    make_printable,
    make_writable,
)

Piece = tuple[str, str]
"""A text and the name of its style; "" for the terminal's own."""
Line = Sequence[Piece]

_SGR = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "good": "1;32",
    "added": "32",
    "removed": "31",
    "strong": "1",
    "dim": "2",
}
_WIDTH = 100
"""Columns where no terminal says how many: logs and pull requests show these without scrolling."""
_LEAST = 40
"""Columns below which a code frame has no room beside its row numbers."""


@dataclass(frozen=True)
class Screen:
    """A stream with what it can show; without a terminal's width, 100 columns."""

    out: TextIO
    color: bool
    width: int
    glyphs: Glyphs

    @classmethod
    def of(cls, out: TextIO, color: bool, width: int | None) -> Screen:
        """The screen for a stream; narrower terminals are taken for 40 columns."""
        return cls(out, color, max(width or _WIDTH, _LEAST), choose_glyphs(out))

    def write(self, lines: Iterable[Line]) -> None:
        """Write lines, without trailing blanks and with nothing that could steer a terminal."""
        for line in lines:
            self.out.write("".join(self._painted(_strip_blanks(line))) + "\n")

    def fit(self, text: str) -> str:
        """The text as this stream can carry it."""
        return make_writable(text, self.out)

    def wrap(self, text: str, indent: int, style: str = "") -> Iterator[Line]:
        """Lines that fit the width; words, such as paths, are never broken."""
        for paragraph in text.splitlines():
            for line in textwrap.wrap(
                paragraph, self.width - indent, break_long_words=False, break_on_hyphens=False
            ):
                yield (" " * indent, ""), (line, style)

    def _painted(self, line: Line) -> Iterator[str]:
        for text, style in line:
            shown = self.fit(make_printable(text))
            yield f"\x1b[{_SGR[style]}m{shown}\x1b[0m" if self.color and style else shown


def clip_line(characters: Iterable[Piece], left: int, room: int, more: str) -> Line:
    """The columns from `left` on that fit in `room`, with `more` where something is cut off."""
    kept: list[Piece] = []
    column = 0
    for text, style in characters:
        inside = min(column + count_columns(text), left + room) - max(column, left)
        whole = column >= left and column + count_columns(text) <= left + room
        if whole or inside > 0:
            kept.append((text if whole else " " * inside, style))
        column += count_columns(text)
    if left and column:
        kept[:1] = [_mark_cut(more, kept[:1])]
    if column > left + room:
        kept[-1:] = [_mark_cut(more, kept[-1:])]
    return [
        ("".join(text for text, _ in run), style) for style, run in groupby(kept, lambda p: p[1])
    ]


def _mark_cut(more: str, replaced: list[Piece]) -> Piece:
    width = sum(count_columns(text) for text, _ in replaced)
    return more + " " * (width - count_columns(more)), "dim"


def _strip_blanks(line: Line) -> Line:
    kept = list(line)
    while kept and not (bare := (kept[-1][0].rstrip(" "), kept[-1][1]))[0]:
        kept.pop()
    return [*kept[:-1], bare] if kept else []
