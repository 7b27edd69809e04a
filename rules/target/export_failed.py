"""LT904: a trial export failed, and no rule knows why."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.finding import Hit, Severity
from lintorch.rule import Rule
from lintorch.subjects import Trial
from lintorch.trace.record import Outcome

rule = Rule(
    __name__,
    code="LT904",
    summary="the export fails",
    why="""
        A trial export of the model raised, and no other rule explains it. The message names the
        stage that failed, every operator that the exporter has no translation for, and what can
        be done. The place is the line of the model that the exporter was at, or the model's class
        where it said none.
    """,
    severity=Severity.ERROR,
)

ADVICE = {
    "torch.export": "keep that size fixed, or compute it without Python deciding on it",
    "onnx": "try a higher opset, or replace what the message names",
    "onnx-legacy": "try torch.onnx.export(..., dynamo=True), or a higher opset",
    "torchscript-trace": "try torch.export",
    "torchscript-script": "try torch.export, or annotate what the compiler cannot type",
}
LONGEST = 200


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    where = outcome.site or outcome
    stage = f" at {outcome.stage}" if outcome.stage else ""
    told = f"{outcome.exporter} fails{stage}: {first_line(outcome.message)}"
    yield Hit(where, f"{told}; {remedy(outcome)}")


def remedy(outcome: Outcome) -> str:
    """What to do: about operators without translation where there are any, else in general."""
    if not outcome.operators:
        return ADVICE.get(outcome.exporter, "replace what the message names")
    named = ", ".join(outcome.operators)
    several = "these operators have" if len(outcome.operators) > 1 else "this operator has"
    return f"{several} no translation: {named}; replace each, or give the exporter one"


def first_line(message: str) -> str:
    """The first line that says something, cut where it gets long."""
    lines = (line.strip() for line in message.splitlines())
    line = next((line for line in lines if line), "no message")
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
