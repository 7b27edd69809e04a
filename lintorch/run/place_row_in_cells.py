"""What `export` and `models` tell of notebooks, in words that name lines by their cells."""

from __future__ import annotations

from dataclasses import replace

from lintorch.core.cell_rows import CellRows
from lintorch.record.models import Failure, Model
from lintorch.report.matrix import Row, Tried
from lintorch.run.place_in_cells import place_in_cells
from lintorch.run.read_notebooks import NotebookTexts, find_cell_rows


def place_row_in_cells(row: Row, notebooks: NotebookTexts) -> Row:
    """The same row, with findings placed in cells; rows of models and sites stay those of modules."""
    cells = find_cell_rows(notebooks)
    if not cells.starts:
        return row
    problem = place_in_cells([row.problem], notebooks)[0] if row.problem else None
    return replace(
        row,
        model=row.model and write_model_by_cells(row.model, cells),
        failure=row.failure and write_failure_by_cells(row.failure, cells),
        problem=problem,
        tried=tuple(_place_trial(each, notebooks, cells) for each in row.tried),
    )


def write_model_by_cells(model: Model, cells: CellRows) -> Model:
    """The same model, with what was assumed of it in words of cells."""
    return replace(model, assumptions=tuple(map(cells.rewrite_text, model.assumptions)))


def write_failure_by_cells(failure: Failure, cells: CellRows) -> Failure:
    """The same failure, with its cause and traceback in words of cells."""
    return replace(
        failure,
        cause=cells.rewrite_text(failure.cause, failure.path),
        traceback=cells.rewrite_text(failure.traceback),
    )


def _place_trial(each: Tried, notebooks: NotebookTexts, cells: CellRows) -> Tried:
    outcome = replace(
        each.outcome,
        message=cells.rewrite_text(each.outcome.message),
        detail=cells.rewrite_text(each.outcome.detail),
    )
    return replace(each, outcome=outcome, findings=place_in_cells(each.findings, notebooks))
