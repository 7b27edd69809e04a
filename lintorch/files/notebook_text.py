"""The cells of a notebook as one module, and back into the notebook with all else byte by byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lintorch.files.file_text import FileText, NotWritten, UnreadableFile
from lintorch.files.json_spans import Span, find_items, find_members, write_source
from lintorch.files.magics import mask_magics, split_head, unmask_magics


@dataclass(frozen=True)
class Cell:
    """A cell of Python: `source` is its text, `body` what of it stands in the module."""

    number: int
    """From 1, among all cells."""
    source: str
    head: str
    body: str
    span: Span
    """Where the value of its source stands in the file."""
    start: int
    """Where its body begins in the module."""
    row: int
    """The row of the module that its body begins at."""


@dataclass(frozen=True)
class NotebookText(FileText):
    """A notebook whose `text` is the module of its cells, one below the other."""

    cells: tuple[Cell, ...] = ()
    marks: tuple[str, ...] = ()
    """The comments between the cells."""

    def encode_text(self, text: str) -> bytes:
        """Another module as this notebook's bytes. Raises NotWritten where cells cannot be told apart."""
        whole = self.data.decode("utf-8-sig")
        pieces: list[str] = []
        reached = 0
        is_ascii = whole.isascii() and "\\u" in whole
        for cell, source in zip(self.cells, self.split_cells(text), strict=True):
            if source != cell.source:
                written = write_source(whole, cell.span, source, is_ascii)
                pieces += whole[reached : cell.span[0]], written
                reached = cell.span[1]
        return FileText.encode_text(self, "".join([*pieces, whole[reached:]]))

    def split_cells(self, text: str) -> list[str]:
        """The source of each cell in another module. Raises NotWritten."""
        found: list[str] = []
        for index, cell in enumerate(self.cells):
            piece = text
            if index < len(self.marks):
                piece, mark, text = text.partition(self.marks[index])
                if not mark:
                    raise NotWritten(self.path, "a fix spans cells; nothing was written to it")
            raw = cell.source[len(cell.head) :]
            body = raw
            if piece.removesuffix("\n") != cell.body:
                shown = unmask_magics(piece.removesuffix("\n"), cell.body, raw)
                if shown is None:
                    raise NotWritten(self.path, "a fix spans magics; nothing was written to it")
                body = shown
            found.append(cell.head + body)
        return found

    def find_cell(self, row: int) -> Cell:
        """The cell that a row of the module is in."""
        return next((cell for cell in reversed(self.cells) if cell.row <= row), self.cells[0])


def decode_notebook(path: str, data: bytes) -> FileText | UnreadableFile:
    """The module of a notebook; without a cell where it is not one of Python."""
    if not data.strip():
        return NotebookText(path, "", data=data)
    try:
        whole = data.decode("utf-8-sig")
        parsed = json.loads(whole)
        listed = _list_cells(parsed)
        if not _is_of_python(parsed):
            listed = []
        spans = dict(_find_sources(whole)) if listed else {}
    except UnicodeDecodeError as error:
        return UnreadableFile(path, f"not a notebook: not UTF-8: {error.reason}")
    except json.JSONDecodeError as error:
        cause = f"{error.msg} at row {error.lineno}, column {error.colno}"
        return UnreadableFile(path, f"not a notebook: {cause}")
    except (ValueError, RecursionError) as error:
        return UnreadableFile(path, f"not a notebook: {error}")
    cells, marks, text = _join_cells(listed, spans)
    bom = data.startswith(b"\xef\xbb\xbf")
    return NotebookText(path, text, "utf-8", bom, "\n", data, "", cells, marks)


def join_sources(path: str, sources: Sequence[str]) -> NotebookText:
    """The module of cells that are in no file, all of them code; they are numbered from 1."""
    spans = dict.fromkeys(range(1, len(sources) + 1), (0, 0))
    listed = [(number, source, False) for number, source in enumerate(sources, 1)]
    cells, marks, text = _join_cells(listed, spans)
    return NotebookText(path, text, cells=cells, marks=marks)


def _list_cells(parsed: Any) -> list[tuple[int, str, bool]]:
    """The number and source of each cell of code, and whether what is kept of its run is an error. Raises ValueError."""
    if not isinstance(parsed, dict):
        raise ValueError("no JSON object")
    if "worksheets" in parsed:
        raise ValueError("of format 3, which `jupyter nbconvert --to notebook` makes a newer one")
    cells = parsed.get("cells")
    if not isinstance(cells, list):
        raise ValueError("it has no list of cells")
    found = []
    for number, cell in enumerate(cells, 1):
        source = cell.get("source", "") if isinstance(cell, dict) else None
        lines = [source] if isinstance(source, str) else source
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise ValueError(f"cell {number} has no source")
        if cell.get("cell_type") == "code" and "source" in cell:
            found.append((number, "".join(lines), _has_raised(cell)))
    return found


def _has_raised(cell: Mapping[str, Any]) -> bool:
    outputs = cell.get("outputs")
    kinds = outputs if isinstance(outputs, list) else []
    return any(isinstance(each, dict) and each.get("output_type") == "error" for each in kinds)


def _is_of_python(parsed: Mapping[str, Any]) -> bool:
    about = parsed.get("metadata")
    about = about if isinstance(about, dict) else {}
    kernel, language = about.get("kernelspec"), about.get("language_info")
    told = language.get("name") if isinstance(language, dict) else None
    told = told or (kernel.get("language") if isinstance(kernel, dict) else None)
    return told is None or str(told).lower() in ("python", "ipython")


def _find_sources(whole: str) -> Iterator[tuple[int, Span]]:
    """By number of a cell, where its source stands."""
    for key, (begin, _) in find_members(whole, 0):
        if key == "cells":
            for number, (first, _) in enumerate(find_items(whole, begin), 1):
                yield from (
                    (number, at) for name, at in find_members(whole, first) if name == "source"
                )


def _join_cells(
    listed: list[tuple[int, str, bool]], spans: Mapping[int, Span]
) -> tuple[tuple[Cell, ...], tuple[str, ...], str]:
    every = "".join(source for _, source, _ in listed)
    bar = "-" * (2 + max(map(len, re.findall(r"^# (-+) cell", every, re.M)), default=0))
    cells: list[Cell] = []
    marks: list[str] = []
    text = ""
    for number, source, raised in listed:
        split = split_head(source)
        if split is None:
            continue
        head, raw = split
        if cells:
            marks.append(f"# {bar} cell {number}{' will raise, as it did' * raised}\n\n")
            text += marks[-1]
        body = mask_magics(raw)
        row = text.count("\n") + 1
        cells.append(Cell(number, source, head, body, spans[number], len(text), row))
        text += body + "\n"
    return tuple(cells), tuple(marks), text
