"""The matrix as one JSON object, for programs."""

from __future__ import annotations

import json
from typing import Any, TextIO

from lintorch.core.cell_rows import CellRows
from lintorch.core.finding import Finding
from lintorch.record.input_notation import write_arguments
from lintorch.record.outcomes import SizeLimit
from lintorch.record.sites import Site
from lintorch.record.suggestions import Suggestion
from lintorch.report.compared_sizes import list_compared_sizes
from lintorch.report.matrix import Matrix, Row, Tried
from lintorch.report.matrix_losses import loss_values
from lintorch.report.matrix_timings import timing_values
from lintorch.report.opset_lines import exporter_values
from lintorch.report.places import shown_path
from lintorch.report.wording import write_message


def render(matrix: Matrix, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write `{models: [...], trials: [...]}` in ASCII."""
    trials = [_trial_values(row, each, matrix.cells) for row in matrix.rows for each in row.tried]
    json.dump(
        {"models": [_model_values(row, matrix.cells) for row in matrix.rows], "trials": trials},
        out,
        indent=2,
    )
    out.write("\n")


def _name_model(row: Row) -> str:
    return f"{shown_path(row.path)}:{row.qualname}" if row.qualname else shown_path(row.path)


def _model_values(row: Row, cells: CellRows) -> dict[str, Any]:
    """As `lintorch models` writes them: those that ran have `inputs`, the others a `cause`."""
    told: dict[str, Any] = {"model": _name_model(row)}
    if row.model is not None:
        model = row.model
        told |= {
            **_row_values(model.path, model.row, cells),
            "arguments": dict(model.arguments),
            "inputs": write_arguments(model.inputs, model.sizes),
            "parameters": model.parameters,
            "assumptions": list(model.assumptions),
            "purpose": model.purpose or None,
            "timing": timing_values(row.timing),
        }
    if row.failure is not None:
        failure = row.failure
        place = _row_values(failure.path, failure.row, cells)
        told |= {**place, "stage": failure.stage, "cause": failure.cause}
    return told


def _trial_values(row: Row, each: Tried, cells: CellRows) -> dict[str, Any]:
    outcome = each.outcome
    return {
        "model": _name_model(row),
        "exporter": outcome.exporter,
        "dtype": outcome.precision or None,
        "opset": outcome.opset,
        "target": each.target or None,
        "status": each.status,
        "stage": "target" if each.against else outcome.stage or None,
        "operator": outcome.operators[0] if outcome.operators else None,
        "operators": list(outcome.operators),
        "location": _place_values(each.against)
        if each.against
        else _site_values(outcome.site, cells),
        "part": outcome.part or None,
        "lowest_opset": outcome.enough,
        "needs": exporter_values(each.needs) if each.needs else None,
        "message": each.message or None,
        "limits": [_limit_values(limit, cells) for limit in outcome.limits],
        "max_abs_error": outcome.error,
        "loss": loss_values(outcome.loss) if outcome.loss else None,
        "compared": list_compared_sizes(outcome, row.model) if row.model else [],
        "seconds": outcome.seconds,
        "artifact": shown_path(each.artifact) if each.artifact else None,
        "repro": shown_path(each.script) if each.script else None,
        "pruned": list(outcome.pruned),
        "suggestion": _suggestion_values(outcome.suggested, cells) if outcome.suggested else None,
        "findings": [_finding_values(finding) for finding in each.findings],
    }


def _suggestion_values(suggestion: Suggestion, cells: CellRows) -> dict[str, Any]:
    return {
        "program": suggestion.text or None,
        "ran": suggestion.is_good,
        "message": suggestion.refused or suggestion.ran or None,
        "location": _site_values(suggestion.site, cells),
        "compared": [dict(each) for each in suggestion.compared],
        "fixed": [
            {
                "name": each.name,
                "size": each.size,
                "location": _site_values(each.site, cells),
                "message": each.why or None,
            }
            for each in suggestion.fixed
        ],
    }


def _limit_values(limit: SizeLimit, cells: CellRows) -> dict[str, Any]:
    return {
        "condition": limit.condition,
        "location": _site_values(limit.site, cells),
        "wrong_at": [at.sizes_by_name for at in limit.at],
    }


def _row_values(path: str, row: int, cells: CellRows) -> dict[str, Any]:
    cell, inner = cells.find_row(path, row)
    return {"cell": cell or None, "row": inner}


def _site_values(site: Site | None, cells: CellRows) -> dict[str, Any] | None:
    if site is None:
        return None
    return {"filename": shown_path(site.path), **_row_values(site.path, site.row, cells)}


def _place_values(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {"filename": shown_path(place.path), "cell": place.cell or None, "row": place.row}


def _finding_values(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "message": write_message(finding),
        "location": _place_values(finding),
    }
