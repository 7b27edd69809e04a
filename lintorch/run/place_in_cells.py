"""Findings of a notebook's module by the cells that people see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from lintorch.core.cell_rows import CellRows
from lintorch.core.finding import Edit, Finding, Fix, Place
from lintorch.files import FileText, UnreadableFile
from lintorch.files.notebook_text import Cell, NotebookText
from lintorch.run.read_notebooks import NotebookTexts, find_cell_rows


def place_in_cells(findings: Iterable[Finding], texts: NotebookTexts) -> tuple[Finding, ...]:
    """The same findings; those of notebooks with the number of their cell, and rows within it."""
    rows = find_cell_rows(texts)
    if not rows.starts:
        return tuple(findings)
    return tuple(
        _place_finding(
            _place_others(_rewrite_texts(finding, rows), texts), texts.get(finding.place.path)
        )
        for finding in findings
    )


def list_cells(texts: Mapping[str, FileText]) -> dict[tuple[str, int], str]:
    """The source of each cell of the notebooks, by path and number."""
    return {
        (path, cell.number): cell.source
        for path, text in texts.items()
        if isinstance(text, NotebookText)
        for cell in text.cells
    }


def _place_finding(finding: Finding, text: FileText | UnreadableFile | None) -> Finding:
    if not isinstance(text, NotebookText) or not text.cells:
        return finding
    cell = text.find_cell(finding.place.row)
    place = _shift_place(finding.place, cell)
    fix = finding.fix and _shift_fix(finding.fix, cell)
    return replace(finding, place=place, fix=fix)


def _place_others(finding: Finding, texts: NotebookTexts) -> Finding:
    """The same finding, whose further places are each in a cell of their notebook."""
    also = (_place_in_cell(each, texts.get(each.path)) for each in finding.also)
    return replace(finding, also=tuple(also))


def _place_in_cell(place: Place, text: FileText | UnreadableFile | None) -> Place:
    if not isinstance(text, NotebookText) or not text.cells:
        return place
    return _shift_place(place, text.find_cell(place.row))


def _rewrite_texts(finding: Finding, rows: CellRows) -> Finding:
    """The same finding, whose words name lines of notebooks by their cells."""
    path = finding.place.path

    def rewrite(text: str) -> str:
        return rows.rewrite_text(text, path)

    notes = (
        replace(each, said=rewrite(each.said), detail=rewrite(each.detail))
        for each in finding.notes
    )
    return replace(
        finding,
        said=rewrite(finding.said),
        detail=rewrite(finding.detail),
        remedy=rewrite(finding.remedy),
        refuted=finding.refuted and rewrite(finding.refuted),
        notes=tuple(notes),
    )


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
