"""Reads a record that `lintorch export --output-format json` has written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lintorch.report.places import shown_path
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
    "column": None,
    "no_repro": None,
}
"""What records of earlier releases have not, and what it means that they have not."""
_OF_MODEL_ADDED: Mapping[str, Any] = {"findings": [], "problem": None}
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
    models = [{**_OF_MODEL_ADDED, **model} for model in record["models"]]
    trials = [{"target": None, "part": None, **_ADDED, **trial} for trial in record["trials"]]
    return {**_OF_RECORD_ADDED, **record, "models": models, "trials": trials}


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
