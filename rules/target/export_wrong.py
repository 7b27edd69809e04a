"""LT905: an exported model computes other numbers than the model, and no rule knows why."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.finding import Hit, Severity
from lintorch.rule import Rule
from lintorch.subjects import Trial
from lintorch.trace.record import Outcome

rule = Rule(
    __name__,
    code="LT905",
    summary="the exported model computes other numbers than the model",
    why="""
        The export succeeded, but what it wrote gives other numbers, another shape, or an error
        where the model runs: at the sizes it was exported with, or when a size that was declared
        dynamic changes. No other rule explains it. A difference only at other sizes points to a
        size, a branch or a loop that the exporter made a constant; a difference at the exported
        sizes points to an operator, to randomness, or to a model left in training mode.
    """,
    severity=Severity.ERROR,
)


@rule.trial("wrong")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    told = f"{outcome.exporter} computes other numbers {where_wrong(outcome)}"
    detail = f": {outcome.detail}" if outcome.detail else ""
    yield Hit(outcome.site or outcome, f"{told}{detail}")


def where_wrong(outcome: Outcome) -> str:
    """At which sizes, and by how much at worst."""
    places = list(dict.fromkeys(spoken(key) for key in outcome.wrong)) or ["than the model"]
    worst = max((found for found in outcome.wrong.values() if found is not None), default=None)
    by = "" if worst is None or outcome.detail else f" (by up to {worst:.3g})"
    return " and ".join(places) + by


def spoken(key: str) -> str:
    """Which sizes a key of `Outcome.wrong` stands for."""
    if not key:
        return "at the exported sizes"
    if key == "train":
        return "when exported in training mode"
    return f"when {key.replace(',', ' and ')} changes"
