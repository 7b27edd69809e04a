"""All that `export` came to as one value of plain parts: what JSON holds, and other reports are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lintorch.core.cell_rows import CellRows
from lintorch.core.finding import Finding
from lintorch.record.input_notation import describe_inputs, write_arguments
from lintorch.record.models import Layer
from lintorch.record.shard import WHOLE
from lintorch.report.json import finding_values
from lintorch.report.matrix import Matrix, Row
from lintorch.report.matrix_timings import timing_values
from lintorch.report.model_graph import GraphNode, ModelGraph
from lintorch.report.places import find_end, shown_model, shown_path
from lintorch.report.record_changes import Record, mark_changes
from lintorch.report.result import Result
from lintorch.report.shown_diff import diff_values
from lintorch.report.source_parts import PartsOfFiles, list_parts
from lintorch.report.trial_values import (
    finding_in_brief,
    name_model,
    row_values,
    site_values,
    trial_values,
)


def make_record(matrix: Matrix) -> Record:
    """Models, trials, findings and the source that they speak of; all are plain values."""
    checked, cells = matrix.checked or Result(), matrix.cells
    place = {id(finding): number for number, finding in enumerate(checked.findings)}
    record: Record = {
        "columns": list(matrix.columns),
        "link": matrix.link or None,
        "models": [_model_values(row, cells, place) for row in matrix.rows],
        "trials": [trial_values(row, each, cells) for row in matrix.rows for each in row.tried],
        "findings": [_finding_values(finding, checked) for finding in checked.findings],
        "sources": [*_list_sources(matrix, checked)],
    }
    if matrix.shard != WHOLE:
        models = zip(matrix.rows, record["models"], strict=True)
        record["models"] = [{**model, **_shard_values(row)} for row, model in models]
        record = {"shard": str(matrix.shard), **record}
    before = matrix.before
    return mark_changes(record, before.record, before.name) if before else record


def _model_values(row: Row, cells: CellRows, place: dict[int, int]) -> dict[str, Any]:
    """As `lintorch models` writes them: those that ran have `inputs`, the others a `cause`."""
    told: dict[str, Any] = {"model": name_model(row), "filename": shown_path(row.path)}
    if row.model is not None:
        model = row.model
        told |= {
            **row_values(model.path, model.row, cells),
            "arguments": dict(model.arguments),
            "made_up": list(model.made_up),
            "inputs": write_arguments(model.inputs, model.sizes),
            "fed": describe_inputs(model.inputs, model.sizes),
            "sizes": dict(model.sizes),
            "parameters": model.parameters,
            "assumptions": list(model.assumptions),
            "purpose": model.purpose or None,
            "timing": timing_values(row.timing),
            "layers": [_layer_values(layer, cells) for layer in model.layers],
            "graph": _graph_values(row.graph, cells) if row.graph else None,
        }
    if row.failure is not None:
        failure = row.failure
        at = row_values(failure.path, failure.row, cells)
        problem = row.problem and finding_in_brief(row.problem)
        told |= {**at, "stage": failure.stage, "cause": failure.cause, "problem": problem}
    return {**told, "findings": [place[id(finding)] for finding in row.findings]}


def _shard_values(row: Row) -> dict[str, Any]:
    """Where a model stands in the whole run, and which others are parts of it."""
    parts = row.model.contains if row.model else ()
    return {"place": list(row.place), "contains": [shown_model(part) for part in parts]}


def _layer_values(layer: Layer, cells: CellRows) -> dict[str, Any]:
    return {
        "path": layer.path,
        "class": layer.kind,
        "parameters": layer.parameters,
        "location": site_values(layer.built, cells),
    }


def _graph_values(graph: ModelGraph, cells: CellRows) -> dict[str, Any]:
    return {
        "runs": [dict(sizes) for sizes in graph.runs],
        "calls": graph.calls,
        "nodes": [_node_values(node, cells) for node in graph.nodes],
    }


def _node_values(node: GraphNode, cells: CellRows) -> dict[str, Any]:
    return {
        "number": node.number,
        "operator": node.operator,
        "location": site_values(node.site, cells),
        "layer": node.layer or None,
        "takes": list(node.takes),
        "outputs": [
            None if each is None else [list(shape) for shape in each] for each in node.outputs
        ],
    }


def _finding_values(finding: Finding, checked: Result) -> dict[str, Any]:
    """As `lintorch check` writes it, with what the fix changes row by row."""
    told = finding_values(finding, checked)
    if told["fix"] is not None and finding.fix is not None:
        diff = diff_values(finding.fix, checked.text(finding.place))
        told["fix"] = {**told["fix"], "diff": diff}
    return told


def _list_sources(matrix: Matrix, checked: Result) -> Iterator[dict[str, Any]]:
    """The parts of files that findings, trials and graphs speak of."""
    parts = PartsOfFiles()
    for finding in checked.findings:
        place = finding.place
        parts.add(place.path, place.cell, place.row, find_end(place)[0])
    for row in matrix.rows:
        sites = [node.site for node in row.graph.nodes] if row.graph else []
        sites += [each.outcome.site for each in row.tried if each.outcome.site]
        for site in sites:
            cell, inner = matrix.cells.find_row(site.path, site.row)
            parts.add(site.path, cell, inner)
    for (path, cell), rows in sorted(parts.rows.items()):
        text = checked.cells.get((path, cell)) if cell else checked.texts.get(path)
        for first, part in list_parts(text or "", rows):
            yield {"filename": shown_path(path), "cell": cell or None, "row": first, "text": part}
