"""LT904: a trial export failed, and no rule knows why."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import UNSOLVED, read_first_line

rule = Rule(
    __name__,
    code="LT904",
    summary="the export fails",
    why="""
        A trial export of the model raised, and no other rule explains it. The message names the
        stage that failed, every operator that the exporter has no translation for, the smallest
        part of the model that fails alone in the same way, and what can be done. The place is the
        line of the model that the exporter was at. Where it said none, it is the line that builds that
        part, if it is a layer of torch, or the model's class.
    """,
    severity=Severity.ERROR,
)

ADVICE = {
    "onnx-legacy": "try torch.onnx.export(..., dynamo=True)",
    "torchscript-trace": "try torch.export",
    "torchscript-script": "try torch.export, or annotate what the compiler cannot type",
}
GENERATOR = re.compile(r"\bGenerator\b|Constant kind: 'ival'")
"""How both ONNX exporters speak of a `generator=`, of which ONNX has nothing at any opset."""
NOT_SAVED = re.compile(r"<built-in function (\w+)> is not in _SYM_OPS")
"""What torch.export.save says of arithmetic on sizes that torch.export follows."""
SAVED = {
    "abs": "write max(d, -d) for abs(d)",
    "ceil": "write (n + k - 1) // k for math.ceil(n / k)",
    "floor": "write n // k for math.floor(n / k)",
    "trunc": "write n // k for math.trunc(n / k)",
    "round": "write (2 * n + k) // (2 * k) for round(n / k), which differs at halves",
}
FIXED = ("declared dynamic", "user-specified dim")
DATA = "data-dependent"
LONGEST = 200


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if outcome.stage == "stopped":
        return  # out of time or memory, which says nothing of the export
    stage = f" at {outcome.stage}" if outcome.stage else ""
    told = f"{outcome.exporter} fails{stage}: {first_line(outcome.message)}"
    said = f"{told}{unnamed(outcome)}{inside(outcome)}"
    yield Hit(trial.find_line(), said, remedy=remedy(outcome))


def unnamed(outcome: Outcome) -> str:
    """The operators without translation that the message does not name."""
    missing = [name for name in outcome.operators if name not in outcome.message]
    return f"; no translation for {', '.join(missing)}" if missing else ""


def inside(outcome: Outcome) -> str:
    """The smallest part of the model that alone fails in the same way."""
    return f"; the smallest part that fails alone is {outcome.part}" if outcome.part else ""


def remedy(outcome: Outcome) -> str:
    """What to do."""
    if outcome.enough:
        return f"ask for opset_version={outcome.enough}, the lowest that has what it needs"
    if outcome.operators:
        it = "each of them" if len(outcome.operators) > 1 else "it"
        return f"replace {it}, or give the exporter a translation"
    if (found := NOT_SAVED.search(outcome.message)) and found[1] in SAVED:
        return SAVED[found[1]]
    if GENERATOR.search(outcome.message):
        return "draw without generator=, or outside of the model"
    if DATA in outcome.message:
        return "keep the value in a tensor: no int(), float(), if or index may ask for it"
    if UNSOLVED in outcome.message:
        return "keep fixed what need not vary; the batch alone may do"
    if any(words in outcome.message for words in FIXED):
        return "keep the size fixed, or let no Python code decide on it"
    return ADVICE.get(outcome.exporter, "replace what the message names")


def first_line(message: str) -> str:
    """The first line that says something, cut where it gets long."""
    line = read_first_line(message)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
