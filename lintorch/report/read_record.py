"""Reads a record that `lintorch export --output-format json` has written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lintorch.report.matrix import OK
from lintorch.report.places import shown_path
from lintorch.report.record_cells import name_column
from lintorch.report.record_changes import Record

_OF_TRIAL = (
    "model",
    "exporter",
    "status",
    "message",
    "limits",
    "compared",
    "findings",
    "operators",
)
_ADDED: Mapping[str, Any] = {
    "wrong": [],
    "differences": [],
    "nodes": [],
    "pruned": [],
    "untried": [],
}
"""What records of earlier releases have not, and what it means that they have not."""
_MAYBE = (
    *(
        "column",
        "dtype",
        "loss",
        "no_repro",
        "target",
        "part",
        "stage",
        "location",
        "opset",
        "lowest_opset",
    ),
    *("operator", "needs", "max_abs_error", "seconds", "artifact", "repro", "suggestion"),
)
_OF_MODEL_ADDED: Mapping[str, Any] = {"findings": []}
_OF_RECORD_ADDED: Mapping[str, Any] = {"link": None, "findings": [], "sources": []}


class RecordError(Exception):
    """A file that holds no record; the text says which, and why."""


def read_record(path: str) -> Record:
    """The record in a file. Raises RecordError."""
    try:
        record = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise RecordError(f"{shown_path(path)}: {error.strerror or error}") from error
    except ValueError as error:
        raise RecordError(f"{shown_path(path)}: this is no JSON: {error}") from error
    if not _is_record(record):
        raise RecordError(
            f"{shown_path(path)}: this is not what `lintorch export --output-format json` writes"
        )
    models = [_add_keys(model, _OF_MODEL_ADDED) for model in record["models"]]
    trials = [_complete_trial(trial) for trial in record["trials"]]
    columns = list(dict.fromkeys(map(name_column, trials)))
    told = _add_keys(record, {"columns": columns, **_OF_RECORD_ADDED})
    return {**told, "models": models, "trials": trials}


def _add_keys(values: Mapping[str, Any], lacking: Mapping[str, Any]) -> dict[str, Any]:
    """With those keys that are not there, behind the others."""
    return {**values, **{key: value for key, value in lacking.items() if key not in values}}


def _complete_trial(trial: dict[str, Any]) -> dict[str, Any]:
    """With all keys; the one on a random model is told by the others where it is not there."""
    full = _add_keys(trial, {**dict.fromkeys(_MAYBE), **_ADDED})
    random = trial["status"] == OK and trial["message"] and full["max_abs_error"] is None
    needs = full["needs"] and {"told": "", **full["needs"]}
    needs = needs if needs and needs["told"] else None
    return _add_keys({**full, "needs": needs}, {"random": bool(random)})


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    models, trials = record.get("models"), record.get("trials")
    if not isinstance(models, list) or not isinstance(trials, list):
        return False
    named = all(isinstance(each, dict) and isinstance(each.get("model"), str) for each in models)
    return named and all(
        isinstance(each, dict) and all(key in each for key in _OF_TRIAL) for each in trials
    )
