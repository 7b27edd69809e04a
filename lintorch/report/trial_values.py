"""One trial of an export, as JSON holds it."""

from __future__ import annotations

import math
from typing import Any

from lintorch.core.cell_rows import CellRows
from lintorch.core.finding import Finding
from lintorch.record.models import Model
from lintorch.record.outcomes import Outcome, SizeLimit, Untried, Variation
from lintorch.record.sites import Site
from lintorch.record.suggestions import Suggestion
from lintorch.report.compared_sizes import list_compared_sizes
from lintorch.report.forecast import OpsetForecast
from lintorch.report.generated_texts import list_generated
from lintorch.report.matrix import Row, Tried
from lintorch.report.matrix_losses import loss_values
from lintorch.report.opset_lines import exporter_values, write_graph_forecast
from lintorch.report.places import shown_path
from lintorch.report.wording import write_message


def name_model(row: Row) -> str:
    """`nets/seg.py:UNet`, or the file alone."""
    return f"{shown_path(row.path)}:{row.qualname}" if row.qualname else shown_path(row.path)


def trial_values(row: Row, each: Tried, cells: CellRows) -> dict[str, Any]:
    """An element of `trials`."""
    outcome = each.outcome
    return {
        "model": name_model(row),
        "exporter": outcome.exporter,
        "column": each.column,
        "dtype": outcome.precision or None,
        "opset": outcome.opset,
        "target": each.target or None,
        "status": each.status,
        "random": outcome.status == "random",
        "stage": "target" if each.against else outcome.stage or None,
        "operator": outcome.operators[0] if outcome.operators else None,
        "operators": list(outcome.operators),
        "location": _place_values(each.against)
        if each.against
        else site_values(outcome.site, cells),
        "part": outcome.part or None,
        "lowest_opset": outcome.enough,
        "needs": _needs_values(each.needs) if each.needs else None,
        "message": each.message or None,
        "limits": [_limit_values(limit, cells) for limit in outcome.limits],
        "max_abs_error": _finite(outcome.error),
        "wrong": _wrong_values(outcome, row.model),
        "differences": _difference_values(outcome, row.model),
        "loss": loss_values(outcome.loss) if outcome.loss else None,
        "compared": list_compared_sizes(outcome, row.model) if row.model else [],
        "untried": [_untried_values(each, cells) for each in outcome.untried],
        "draws": outcome.draws,
        "seconds": outcome.seconds,
        "artifact": shown_path(each.artifact) if each.artifact else None,
        "repro": shown_path(each.script) if each.script else None,
        "no_repro": outcome.unwritten or None,
        "half": outcome.half or None,
        "generated": list_generated(outcome.greedy),
        "pruned": list(outcome.pruned),
        "suggestion": _suggestion_values(outcome.suggested, cells) if outcome.suggested else None,
        "nodes": list(each.nodes),
        "findings": [finding_in_brief(finding) for finding in each.findings],
    }


def _needs_values(needs: OpsetForecast) -> dict[str, Any]:
    """Opset and runtimes, also in words."""
    return {**exporter_values(needs), "told": write_graph_forecast(needs)}


def _wrong_values(outcome: Outcome, model: Model | None) -> list[dict[str, Any]]:
    """Where it is wrong; nothing of a random model, whose numbers say nothing."""
    told = outcome.wrong if outcome.status == "wrong" else ()
    return [
        {
            "sizes": _size_values(each.at, model),
            "amount": _finite(each.amount),
            "message": each.why or None,
        }
        for each in told
    ]


def _difference_values(outcome: Outcome, model: Model | None) -> list[dict[str, Any]]:
    return [
        {
            "sizes": _size_values(each.at, model),
            "output": each.output,
            "amount": _finite(each.amount),
            "tolerance": _finite(each.tolerance),
        }
        for each in outcome.apart
    ]


def _size_values(at: Variation, model: Model | None) -> dict[str, int]:
    return {**(model.sizes if model else {}), **at.sizes_by_name}


def _finite(amount: float | None) -> float | None:
    """Null for what JSON has no number for."""
    return amount if amount is not None and math.isfinite(amount) else None


def _suggestion_values(suggestion: Suggestion, cells: CellRows) -> dict[str, Any]:
    return {
        "program": suggestion.text or None,
        "ran": suggestion.is_good,
        "message": suggestion.refused or suggestion.ran or None,
        "location": site_values(suggestion.site, cells),
        "compared": [dict(each) for each in suggestion.compared],
        "fixed": [
            {
                "name": each.name,
                "size": each.size,
                "location": site_values(each.site, cells),
                "message": each.why or None,
            }
            for each in suggestion.fixed
        ],
    }


def _limit_values(limit: SizeLimit, cells: CellRows) -> dict[str, Any]:
    return {
        "condition": limit.condition,
        "location": site_values(limit.site, cells),
        "wrong_at": [at.sizes_by_name for at in limit.at],
    }


def _untried_values(untried: Untried, cells: CellRows) -> dict[str, Any]:
    return {
        "sizes": untried.at.sizes_by_name,
        "location": site_values(untried.site, cells),
        "why": untried.why,
    }


def row_values(path: str, row: int, cells: CellRows) -> dict[str, Any]:
    """`{cell, row}`, the cell null but in a notebook."""
    cell, inner = cells.find_row(path, row)
    return {"cell": cell or None, "row": inner}


def site_values(site: Site | None, cells: CellRows) -> dict[str, Any] | None:
    """`{filename, cell, row}`, or null."""
    if site is None:
        return None
    return {"filename": shown_path(site.path), **row_values(site.path, site.row, cells)}


def _place_values(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {"filename": shown_path(place.path), "cell": place.cell or None, "row": place.row}


def finding_in_brief(finding: Finding) -> dict[str, Any]:
    """`{code, message, location}`."""
    return {
        "code": finding.code,
        "message": write_message(finding),
        "location": _place_values(finding),
    }
