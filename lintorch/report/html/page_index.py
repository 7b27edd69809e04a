"""What the page reads first: a line for each model; and what it reads of a model that is looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from lintorch.report.change_lines import summarise_changes
from lintorch.report.matrix_timings import HEADS, describe_timing, list_cells, list_notes
from lintorch.report.read_timing import read_timing
from lintorch.report.record_cells import count_statuses, group_trials, name_column, write_cell
from lintorch.report.record_changes import Record
from lintorch.report.record_losses import list_losses


def make_index(record: Record) -> dict[str, Any]:
    """Columns, counts, and of each model its cells and the words that a search finds it by."""
    trials = group_trials(record)
    models = [
        _index_model(number, model, trials[model["model"]], record)
        for number, model in enumerate(record["models"])
    ]
    kinds = [each["change"]["kind"] for each in record["trials"] if each.get("change")]
    changes = record.get("changes")
    return {
        "columns": record["columns"],
        "counts": list(count_statuses(record["trials"]).items()),
        "changes": sorted({*kinds}),
        "since": summarise_changes(record),
        "gone": changes["gone"] if changes else [],
        "models": models,
    }


def list_models(record: Record) -> Iterator[dict[str, Any]]:
    """Of each model all that is known, its trials and findings, and the numbers of its sources."""
    trials = group_trials(record)
    places = defaultdict(list)
    for number, part in enumerate(record["sources"]):
        places[part["filename"]].append(number)
    for model in record["models"]:
        found = [record["findings"][number] for number in model["findings"]]
        own = trials[model["model"]]
        yield {
            "model": {key: value for key, value in model.items() if key != "findings"},
            "trials": own,
            "findings": found,
            "losses": [*list_losses(own)],
            "timing": _write_timing(model),
            "sources": [*_choose_sources(model, own, found, record, places)],
        }


def _write_timing(model: Mapping[str, Any]) -> dict[str, Any] | None:
    """The table of a model that was timed, in words."""
    timing = read_timing(model.get("timing"))
    if timing is None:
        return None
    rows = [] if timing.stopped else [*list_cells(timing)]
    notes = [] if timing.stopped else [*list_notes(timing)]
    return {"told": describe_timing(timing), "heads": HEADS, "rows": rows, "notes": notes}


def _index_model(
    number: int, model: dict[str, Any], trials: list[dict[str, Any]], record: Record
) -> dict[str, Any]:
    found = [record["findings"][each] for each in model["findings"]]
    codes = {f"{each['code']} {each['name']}" for each in found}
    codes |= {each["code"] for trial in trials for each in trial["findings"]}
    said = {trial["message"] for trial in trials if trial["message"]}
    words = " ".join([model["model"], *sorted(codes), *sorted(said), model.get("cause") or ""])
    return {
        "number": number,
        "name": model["model"],
        "failed": f"not {_STAGES.get(model['stage'], 'run')}" if model.get("cause") else "",
        "words": words.lower(),
        "cells": {name_column(trial): _index_cell(trial) for trial in trials},
    }


_STAGES = {"import": "imported", "build": "built", "inputs": "fed"}


def _index_cell(trial: dict[str, Any]) -> dict[str, Any]:
    change = trial.get("change")
    cell = {"status": trial["status"], "text": write_cell(trial)}
    return {**cell, "change": change["kind"], "worse": change["worse"]} if change else cell


def _choose_sources(
    model: dict[str, Any],
    trials: list[dict[str, Any]],
    found: list[dict[str, Any]],
    record: Record,
    places: dict[str, list[int]],
) -> Iterator[int]:
    """The parts that hold a row which the model runs, or which something is said of."""
    rows = {(f["filename"], f["cell"], f["location"]["row"]) for f in found}
    sites = [node["location"] for node in (model.get("graph") or {"nodes": []})["nodes"]]
    sites += [trial["location"] for trial in trials if trial["location"]]
    rows |= {(at["filename"], at["cell"], at["row"]) for at in sites}
    for filename in dict.fromkeys((model["filename"], *sorted({row[0] for row in rows}))):
        for number in places[filename]:
            part = record["sources"][number]
            span = range(part["row"], part["row"] + part["text"].count("\n") + 1)
            if any((filename, part["cell"], row) in rows for row in span):
                yield number
