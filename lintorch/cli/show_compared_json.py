"""What `lintorch compare --output-format json` prints; docs/compare.md says what each key means."""

from __future__ import annotations

import json
from typing import Any

from lintorch.record.file_comparisons import Cause, FileRun, LayerNumbers
from lintorch.record.sites import Site
from lintorch.report.matrix_losses import distance_values
from lintorch.report.wording import write_message
from lintorch.run.compare_onnx import ComparedFile


def format_compared_json(compared: ComparedFile) -> str:
    """One object."""
    found, model = compared.found, compared.model
    data = {
        "model": f"{model.path}:{model.qualname}",
        "file": compared.file,
        "agrees": found.agrees,
        "opset": found.opset,
        "producer": found.producer,
        "runtime": found.runtime,
        "weights": found.weights,
        "causes": [_cause_object(cause) for cause in found.causes if cause.wrong],
        "notes": [_cause_object(cause) for cause in found.causes if not cause.wrong],
        "last_agreeing": found.last and _layer_object(found.last),
        "first_differing": found.first and _layer_object(found.first),
        "between": found.between and _site_object(found.between),
        "at": dict(found.at),
        "rules": [
            {
                "code": finding.code,
                "name": finding.name,
                "path": finding.place.path,
                "row": finding.place.row,
                "message": write_message(finding),
            }
            for finding in compared.rules
        ],
        "runs": [_run_object(run) for run in found.runs],
        "made_up": {name: str(model.arguments.get(name, "…")) for name in model.made_up},
    }
    return json.dumps(data, indent=2) + "\n"


def _cause_object(cause: Cause) -> dict[str, Any]:
    return {
        "kind": cause.kind,
        "text": cause.text,
        "proof": cause.proof or None,
        "remedy": cause.remedy or None,
        "site": cause.site and _site_object(cause.site),
    }


def _layer_object(layer: LayerNumbers) -> dict[str, Any]:
    return {
        "name": layer.name,
        "class": layer.kind,
        "call": layer.call,
        "value": layer.value,
        "operator": layer.operator,
        **distance_values(layer.distance),
        "built": layer.built and _site_object(layer.built),
        "called": layer.called and _site_object(layer.called),
    }


def _run_object(run: FileRun) -> dict[str, Any]:
    return {"sizes": dict(run.sizes), "agrees": run.agrees, **distance_values(run.distance)}


def _site_object(site: Site) -> dict[str, Any]:
    return {"path": site.path, "row": site.row, "function": site.function or None}
