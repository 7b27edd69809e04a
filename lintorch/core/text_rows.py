"""A text as rows, split where Python splits them, and offsets as rows and columns from 1."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

_NEWLINE = re.compile(r"\r\n|\n|\r")


class Rows:
    """The rows of one text; form feeds and Unicode separators end none."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = _NEWLINE.split(text)
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]

    def find_position(self, offset: int) -> tuple[int, int]:
        """Row and column of an offset into the text."""
        row = bisect_right(self._starts, offset)
        return row, offset - self._starts[row - 1] + 1

    def find_offset(self, row: int) -> int:
        """Offset of the first character of a row."""
        return self._starts[row - 1]


@lru_cache(maxsize=4)
def split_rows(text: str) -> Rows:
    """The rows of a text; findings come file by file, so the last few are kept."""
    return Rows(text)
