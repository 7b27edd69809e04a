"""The open files as the editor has them: texts, and where their rows stand in its documents.

A file is one document. The cells of a notebook are documents of their own, and one module together.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from lsprotocol import types

from lintorch.core.finding import Edit, Place
from lintorch.files import FileText
from lintorch.files.notebook_text import Cell, join_sources

_NEWLINE = re.compile(r"\r\n|\n|\r")
Units = Callable[[str], int]
"""How many units of the client's encoding a text has."""


@dataclass(frozen=True)
class Sheet:
    """One document of the editor: a file, or a cell. `first_row` is that of the module at its top."""

    uri: str
    first_row: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class OpenDocument:
    """An open file or notebook at one version of its text."""

    uri: str
    path: str
    text: FileText
    sheets: tuple[Sheet, ...]
    version: int | None = None

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offsets in the text at which its rows begin."""
        return (0, *(each.end() for each in _NEWLINE.finditer(self.text.text)))

    def find_spot(self, offset: int) -> tuple[int, int]:
        """Row and column, from 1, of an offset."""
        row = bisect_right(self.line_starts, offset)
        return row, offset - self.line_starts[row - 1] + 1

    def find_sheet(self, row: int) -> Sheet:
        """The document that a row of the text is in."""
        return next((s for s in reversed(self.sheets) if s.first_row <= row), self.sheets[0])

    def sheet_of(self, uri: str) -> Sheet | None:
        """The document with this address."""
        return next((sheet for sheet in self.sheets if sheet.uri == uri), None)

    def find_row(self, uri: str, line: int) -> int:
        """The row of the text that a line of a document is, counted from 0; 0 where there is none."""
        sheet = self.sheet_of(uri)
        return sheet.first_row + line if sheet else 0

    def place_range(self, place: Place, units: Units) -> tuple[str, types.Range]:
        """Where a place stands; the end of its line where it has no end."""
        sheet = self.find_sheet(place.row)
        start = make_position(sheet, place.row, place.column, units)
        last = len(sheet.lines[start.line]) + 1
        if place.end_row and place.end_row - sheet.first_row < len(sheet.lines):
            end = make_position(sheet, place.end_row, place.end_column, units)
        else:
            end = make_position(sheet, start.line + sheet.first_row, last, units)
        return sheet.uri, types.Range(start, end)

    def make_edits(self, edits: Sequence[Edit], units: Units) -> dict[str, list[types.TextEdit]]:
        """Edits of the text by document; none at all where one spans several."""
        found: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            (row, column), (end_row, end_column) = map(self.find_spot, (edit.start, edit.end))
            sheet = self.find_sheet(row)
            if self.find_sheet(end_row) is not sheet:
                return {}
            start = make_position(sheet, row, column, units)
            end = make_position(sheet, end_row, end_column, units)
            given = types.TextEdit(types.Range(start, end), edit.content)
            found.setdefault(sheet.uri, []).append(given)
        return found


def open_file(uri: str, path: str, text: str, version: int | None = None) -> OpenDocument:
    """A file as a document."""
    newline = _NEWLINE.search(text)
    held = FileText(path, text, newline=newline[0] if newline else "\n")
    sheet = Sheet(uri, 1, tuple(_NEWLINE.split(text)))
    return OpenDocument(uri, path, held, (sheet,), version)


def open_notebook(uri: str, path: str, cells: Sequence[tuple[str, str]]) -> OpenDocument:
    """A notebook as one module, of the addresses and texts of its cells of code, in their order."""
    text = join_sources(path, [source for _, source in cells])
    sheets = tuple(_make_sheet(cells[cell.number - 1][0], cell) for cell in text.cells)
    blank = Sheet(uri, 1, ("",))
    return OpenDocument(uri, path, text, sheets or (blank,))


def _make_sheet(uri: str, cell: Cell) -> Sheet:
    return Sheet(uri, cell.row - cell.head.count("\n"), tuple(_NEWLINE.split(cell.source)))


def make_position(sheet: Sheet, row: int, column: int, units: Units) -> types.Position:
    """The position of a row and column, from 1; within the document, where it is shorter."""
    line = row - sheet.first_row
    if line >= len(sheet.lines):
        line, column = len(sheet.lines) - 1, len(sheet.lines[-1]) + 1
    line = max(line, 0)
    return types.Position(line, units(sheet.lines[line][: column - 1]))


def change_text(text: str, change: types.TextDocumentContentChangeEvent, units: Units) -> str:
    """A text after one change of the editor's."""
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return change.text
    starts = (0, *(each.end() for each in _NEWLINE.finditer(text)))
    begin, end = (
        _find_offset(text, starts, each, units) for each in (change.range.start, change.range.end)
    )
    return text[:begin] + change.text + text[end:]


def _find_offset(text: str, starts: Sequence[int], at: types.Position, units: Units) -> int:
    if at.line >= len(starts):
        return len(text)
    stop = starts[at.line + 1] if at.line + 1 < len(starts) else len(text)
    line = text[starts[at.line] : stop].rstrip("\r\n")
    return starts[at.line] + count_characters(line, at.character, units)


def count_characters(line: str, character: int, units: Units) -> int:
    """How many characters of a line so many units of the client's encoding are."""
    if line.isascii():
        return min(character, len(line))
    reached = 0
    for number, each in enumerate(line):
        if reached >= character:
            return number
        reached += units(each)
    return len(line)
