"""Findings of a notebook's module by the cells that people see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from lintorch.core.finding import Edit, Finding, Fix, Place
from lintorch.files import FileText
from lintorch.files.notebook_text import Cell, NotebookText


def place_in_cells(
    findings: Iterable[Finding], texts: Mapping[str, FileText]
) -> tuple[Finding, ...]:
    """The same findings; those of notebooks with the number of their cell, and rows within it."""
    return tuple(_place_finding(finding, texts.get(finding.place.path)) for finding in findings)


def list_cells(texts: Mapping[str, FileText]) -> dict[tuple[str, int], str]:
    """The source of each cell of the notebooks, by path and number."""
    return {
        (path, cell.number): cell.source
        for path, text in texts.items()
        if isinstance(text, NotebookText)
        for cell in text.cells
    }


def _place_finding(finding: Finding, text: FileText | None) -> Finding:
    if not isinstance(text, NotebookText) or not text.cells:
        return finding
    cell = text.find_cell(finding.place.row)
    place = _shift_place(finding.place, cell)
    also = tuple(_shift_place(each, text.find_cell(each.row)) for each in finding.also)
    fix = finding.fix and _shift_fix(finding.fix, cell)
    return replace(finding, place=place, also=also, fix=fix)


def _shift_place(place: Place, cell: Cell) -> Place:
    above = cell.head.count("\n") - cell.row + 1
    last = cell.source.count("\n") + 1
    end = place.end_row and min(place.end_row + above, last + 1)
    return replace(place, row=place.row + above, end_row=end, cell=cell.number)


def _shift_fix(fix: Fix, cell: Cell) -> Fix:
    """The fix with its edits in the cell's text; without any where it also changes other cells."""
    stop = cell.start + len(cell.body)
    if not all(cell.start <= edit.start and edit.end <= stop for edit in fix.edits):
        return replace(fix, edits=())
    moved = len(cell.head) - cell.start
    edits = (Edit(edit.start + moved, edit.end + moved, edit.content) for edit in fix.edits)
    return replace(fix, edits=tuple(edits))
