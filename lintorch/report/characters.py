"""Characters on a terminal: what is safe to print, how wide it is, what its encoding can carry."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TextIO

_WIDE = ("W", "F")
_NO_WIDTH = ("Mn", "Me", "Cf")
_TAB = 4
"""Columns between the stops of tabs: as wide as Python code is indented."""
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Glyphs:
    """The drawn parts of a report."""

    bar: str
    thick: str
    under: str
    more: str
    seen: str
    against: str


_DRAWN = Glyphs(bar="│", thick="┃", under="━", more="…", seen="✓", against="✗")
_TYPED = Glyphs(bar="|", thick=">", under="^", more="~", seen="+", against="x")


def choose_glyphs(out: TextIO) -> Glyphs:
    """Drawn glyphs, or typed ones where the stream's encoding cannot carry the drawn."""
    drawn = "".join(vars(_DRAWN).values())
    return _DRAWN if make_writable(drawn, out) == drawn else _TYPED


def make_writable(text: str, out: TextIO) -> str:
    """The text with `?` for each character that the stream's encoding cannot carry."""
    encoding = getattr(out, "encoding", None) or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


def make_printable(text: str) -> str:
    """The text with a visible sign for each character that would move or recolour a terminal."""
    return _UNPRINTABLE.sub(lambda match: _visible_sign(match.group()), text)


def join_lines(text: str) -> str:
    """The text on one line, safe to print."""
    return make_printable(re.sub(r"\s*[\r\n]\s*", " ", text))


def show_characters(line: str) -> list[str]:
    """What each character shows as, tabs as the spaces up to the next stop."""
    shown: list[str] = []
    column = 0
    for character in line:
        wide = " " * (_TAB - column % _TAB) if character == "\t" else make_printable(character)
        shown.append(wide)
        column += count_columns(wide)
    return shown


def count_columns(text: str) -> int:
    """How many terminal columns a text takes."""
    return len(text) if text.isascii() else sum(map(_measure_character, text))


def _measure_character(character: str) -> int:
    if unicodedata.category(character) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def _visible_sign(character: str) -> str:
    code = ord(character)
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
