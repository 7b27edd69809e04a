"""Rows of the modules that notebooks are read as, told as people see them: by cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

CellStart = tuple[int, int, int]
"""The row of the module that a cell begins at, its number, and how many rows of it stand above that."""
_OF_NOTEBOOK = re.compile(r'([^\s"\'()]*\.ipynb)(:|", line )(\d+)')
_IN_LINE = re.compile(r"(?<!, )\bline (\d+)\b")


@dataclass(frozen=True)
class CellRows:
    """Where the cells of notebooks begin, by the paths of these."""

    starts: Mapping[str, tuple[CellStart, ...]] = field(default_factory=dict)

    def find_row(self, path: str, row: int) -> tuple[int, int]:
        """The number of the cell, and the row in it; 0 and the same row in other files."""
        begun = [start for start in self.starts.get(path, ()) if start[0] <= row]
        if not begun:
            return 0, row
        first, number, above = begun[-1]
        return number, row - first + 1 + above

    def name_row(self, path: str, row: int) -> str:
        """`cell 4:2`, to follow the path of a notebook; `31` in other files."""
        cell, inner = self.find_row(path, row)
        return f"cell {cell}:{inner}" if cell else str(row)

    def rewrite_text(self, text: str, path: str = "") -> str:
        """A text with `demo.ipynb:31` as `demo.ipynb:cell 4:2`, and `line 31` of a `path` as `line 2 of cell 4`."""
        if self.starts and ".ipynb" in text:
            text = _OF_NOTEBOOK.sub(self._write_place, text)
        if path not in self.starts:
            return text
        return _IN_LINE.sub(lambda match: self._write_line(match, path), text)

    def _write_place(self, match: re.Match[str]) -> str:
        written, mark, row = match[1], match[2], int(match[3])
        fitting = (path for path in self.starts if path.endswith(written) or written.endswith(path))
        cell, inner = self.find_row(next(fitting, ""), row)
        if not cell:
            return match[0]
        return (
            f"{written}:cell {cell}:{inner}"
            if mark == ":"
            else f'{written}", cell {cell}, line {inner}'
        )

    def _write_line(self, match: re.Match[str], path: str) -> str:
        cell, inner = self.find_row(path, int(match[1]))
        return f"line {inner} of cell {cell}" if cell else match[0]
