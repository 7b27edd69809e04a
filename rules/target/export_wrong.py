"""LT905: an exported model computes other numbers than the model, and no rule knows why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import AS_TRACED, IN_TRAINING, REDRAWN, Outcome, Trial, Variation
from lintorch.evidence.size_changes import describe_outcome
from lintorch.evidence.treatment import report_limit

rule = Rule(
    __name__,
    code="LT905",
    summary="the exported model computes other numbers than the model",
    why="""
        The export succeeded, but what it wrote gives other numbers, another shape, or an error
        where the model runs: at the sizes it was exported with, or when a size that was declared
        dynamic changes. No other rule explains it. The message names the smallest part of the
        model that alone is wrong at the same sizes. A difference only at other sizes points to a
        size, a branch or a loop that the exporter made a constant; a difference at the exported
        sizes points to an operator, to randomness, or to a model left in training mode. One on
        other numbers of the same sizes points to a choice by numbers that the exporter made a
        constant: how many a mask leaves, or which way a branch goes.

        Where the exporter itself took for given what a line asked of a size (`height < 50` of a
        slice), that line is named, and the condition for which the exported model holds.
    """,
    severity=Severity.ERROR,
)

ONE = re.compile(r"Guard failed: [^;]* == 1(;|$)")
"""The end of a guard that torch.export sets on a size of 1."""


@rule.trial("wrong", "ok")
def in_limited_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """What the export takes for given, at the line that asked: an operator may, as well as a branch."""
    for limit in outcome.limits:
        hit = report_limit(limit.site or outcome, outcome, limit)
        yield replace(hit, message=f"{hit.message}{inside(outcome)}")


@rule.trial("wrong")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if outcome.is_explained():
        return
    detail = outcome.detail or worst(outcome)
    one = bool(ONE.search(detail))
    hint = "; a size that is 1 at the traced sizes was taken for always 1" if one else ""
    told = describe_outcome(replace(outcome, detail=detail), silently=True)
    remedy = "export an example in which no size is 1" if one else None
    yield Hit(trial.find_line(), f"{told}{hint}{inside(outcome)}", remedy=remedy)


def inside(outcome: Outcome) -> str:
    """The smallest part of the model that alone is wrong at the same sizes."""
    return f"; the smallest part that is wrong alone is {outcome.part}" if outcome.part else ""


def worst(outcome: Outcome) -> str:
    """At which sizes the numbers differ, and by how much at most."""
    places = " and ".join(dict.fromkeys(spoken(each.at) for each in outcome.wrong))
    found = [each.amount for each in outcome.wrong if each.amount is not None]
    by = f" by up to {max(found):.3g}" if found else ""
    return f"the output differs from eager{by} {places}".rstrip()


def spoken(at: Variation) -> str:
    """Where an export is wrong, in words."""
    if at == AS_TRACED:
        return "at the exported sizes"
    if at == IN_TRAINING:
        return "when exported in training mode"
    if at == REDRAWN:
        return "on other numbers of the same sizes"
    return f"when {' and '.join(at.changed)} changes"
