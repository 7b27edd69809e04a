"""Trials of a record in the words of a cell of the matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from lintorch.report.matrix import OK, STATUSES, WRONG

Trial = Mapping[str, Any]
"""An element of `trials`, as docs/export.md describes it."""


def write_cell(trial: Trial) -> str:
    """`ok`, `ok at one size`, `wrong by 0.0044`, `failed`: what a cell says of an export."""
    status = trial["status"]
    if status == OK and trial["message"] and trial["max_abs_error"] is None:
        return "ok, random"
    amounts = [each["amount"] for each in trial["wrong"] if each["amount"] is not None]
    if status == WRONG and amounts:
        return f"wrong by {max(amounts):.2g}"
    if status != OK:
        return str(status)
    limits = dict.fromkeys(limit["condition"] for limit in trial["limits"])
    if limits:
        return f"ok for {' and '.join(limits)}"
    return "ok at one size" if len(trial["compared"]) == 1 else OK


def name_column(trial: Trial) -> str:
    """The exporter, and the target if there is one."""
    return f"{trial['exporter']} > {trial['target']}" if trial["target"] else str(trial["exporter"])


def count_statuses(trials: Iterable[Trial]) -> dict[str, int]:
    """How many trials came to each status, in the order of `STATUSES`."""
    counted = Counter(trial["status"] for trial in trials)
    return {status: counted[status] for status in STATUSES if counted[status]}
