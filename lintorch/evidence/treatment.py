"""How an exporter treated a model in a trial, read off the outcome, and the hit on what it refused."""

from __future__ import annotations

from lintorch.core.finding import Harm, Hit, Severity, Sizes, split_sizes
from lintorch.record.trace import Outcome

_RAISES = "the exported model raises"
"""In the details of an export that goes wrong: there are no numbers to compare."""
_TRAINING = "train"
"""The key of numbers that are wrong where the export was made in training mode; it names no size."""


def fails_when_run(outcome: Outcome) -> bool:
    """Whether what was exported raises where it runs, at the first sizes where it is wrong."""
    return _RAISES in outcome.detail.partition(";")[0]


def harm_of(outcome: Outcome) -> Harm | None:
    """What befell the model; None where the export came out right, or nothing is known of it."""
    if outcome.status == "failed":
        return None if outcome.stage == "stopped" else Harm.REFUSED
    if outcome.status != "wrong":
        return None
    if fails_when_run(outcome):
        return Harm.FAILS
    return Harm.WARNED if outcome.warnings else Harm.SILENT


def wrong_sizes(outcome: Outcome) -> tuple[Sizes, ...]:
    """The sizes at which what was exported is wrong, or raises."""
    return tuple(split_sizes(key) for key in outcome.wrong if key != _TRAINING)


def report_refusal(node: object, outcome: Outcome, why: str) -> Hit:
    """The hit on a line that an exporter refuses, told at one line of those that it may be about."""
    message = f"{outcome.exporter} refuses: {why}"
    return Hit(node, message, severity=Severity.ERROR, tried=Harm.REFUSED, refusal=True)
