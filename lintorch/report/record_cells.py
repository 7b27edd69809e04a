"""Trials of a record in the words of a cell of the matrix."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from lintorch.report.matrix import LOSSY, OK, STATUSES, WRONG
from lintorch.report.matrix_losses import is_beyond, read_loss, write_share

Trial = Mapping[str, Any]
"""An element of `trials`, as docs/export.md describes it."""


def write_cell(trial: Trial) -> str:
    """`ok`, `ok at one size`, `ok, not run`, `wrong by 0.0044`, `failed`: what a cell says of an export."""
    status = str(trial["status"])
    if is_random(trial):
        return "ok, random"
    amounts = [each["amount"] for each in trial["wrong"] if each["amount"] is not None]
    if status == WRONG and amounts:
        return f"wrong by {max(amounts):.2g}"
    loss = read_loss(trial.get("loss"))
    if loss is not None and status in (OK, LOSSY):
        in_eager = status == LOSSY and not is_beyond(loss.exported, loss.tolerance)
        return "lossy in eager" if in_eager else f"{status}, {write_share(loss.exported)} off"
    if status != OK:
        return status
    if limits := dict.fromkeys(limit["condition"] for limit in trial["limits"]):
        return f"ok for {' and '.join(limits)}"
    return {0: "ok, not run", 1: "ok at one size"}.get(len(trial["compared"]), OK)


def is_random(trial: Trial) -> bool:
    """Whether the model itself gives other numbers each time, so that none were compared."""
    return trial["status"] == OK and bool(trial["random"])


def name_column(trial: Trial) -> str:
    """What it stands under: the exporter, the target and the interpreter, as far as there are several."""
    if trial.get("column"):
        return str(trial["column"])
    told = name_export(trial)
    return f"{told} > {trial['target']}" if trial["target"] else told


def name_export(trial: Trial) -> str:
    """The exporter, and the type if it is not the model's own: `onnx float16`."""
    return f"{trial['exporter']} {trial.get('dtype') or ''}".strip()


def group_trials(record: Mapping[str, Any]) -> Mapping[str, list[dict[str, Any]]]:
    """The trials of a record by their models; none of a model that has none."""
    grouped: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for trial in record["trials"]:
        grouped[trial["model"]].append(trial)
    return grouped


def count_statuses(trials: Iterable[Trial]) -> dict[str, int]:
    """How many trials came to each status, in the order of `STATUSES`."""
    counted = Counter(trial["status"] for trial in trials)
    return {status: counted[status] for status in STATUSES if counted[status]}
