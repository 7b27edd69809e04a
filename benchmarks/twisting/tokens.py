"""The tokens of a text with their offsets, and texts made by putting something between them."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass

_NEWLINE = re.compile(r"\n")
_LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_OPENING = {"FSTRING_START", "TSTRING_START"}
_CLOSING = {"FSTRING_END", "TSTRING_END"}


@dataclass(frozen=True)
class Token:
    """A token, where it stands, and how many brackets are open before it."""

    kind: int
    string: str
    start: int
    end: int
    depth: int
    quoted: bool
    """Whether it stands in an f-string, between whose tokens nothing may be put."""

    @property
    def is_code(self) -> bool:
        """Whether it is neither a comment nor layout."""
        return self.kind not in _LAYOUT and self.kind != tokenize.COMMENT


def read_tokens(text: str) -> list[Token]:
    """The tokens of a text whose lines end in `\\n`. Raises tokenize.TokenError or SyntaxError."""
    starts = [0, *(match.end() for match in _NEWLINE.finditer(text)), len(text)]
    found: list[Token] = []
    depth = quoted = 0
    for each in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        name = tokenize.tok_name[each.exact_type]
        quoted -= name in _CLOSING
        depth -= each.string in (")", "]", "}") and each.type == tokenize.OP
        start, end = (starts[row - 1] + column for row, column in (each.start, each.end))
        found.append(Token(each.type, each.string, start, end, depth, quoted > 0))
        depth += each.string in ("(", "[", "{") and each.type == tokenize.OP
        quoted += name in _OPENING
    return found


def insert_into(text: str, pieces: Iterable[tuple[int, str]]) -> str:
    """The text with each piece put in at its offset."""
    made: list[str] = []
    reached = 0
    for offset, piece in sorted(pieces, key=lambda pair: pair[0]):
        made += text[reached:offset], piece
        reached = offset
    return "".join([*made, text[reached:]])
