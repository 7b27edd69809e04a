"""LT414: anomaly detection that is switched on for good."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import TRUE
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT414",
    summary="anomaly detection that is left on",
    why="""
        `torch.autograd.set_detect_anomaly(True)` as a statement holds for the whole process. Every
        operation of every forward pass then keeps the stack it was called from, and every
        backward looks for NaN: a network of ten small linear layers trained 9 times slower
        on torch 2.13.
        `with torch.autograd.detect_anomaly():` around the step in question, or a switch, leaves
        the rest alone. Statements below an `if` are taken to be such a switch.
    """,
    bad="""
        import torch

        torch.autograd.set_detect_anomaly(True)


        def step(model, x):
            loss = model(x).sum()
            loss.backward()
            return loss
    """,
    good="""
        import torch


        def step(model, x):
            loss = model(x).sum()
            loss.backward()
            return loss
    """,
    proof="""
        loss = step(torch.nn.Linear(2, 2), torch.ones(1, 2))
        assert "traceback_" not in loss.grad_fn.metadata
    """,
    severity=Severity.NOTE,
)

_SWITCH = "torch.autograd.set_detect_anomaly"


@rule.event(_SWITCH)
def in_calls(event: Called, source: Source) -> Iterator[Hit]:
    call = source.call_at(event)
    if call is not None and (
        not isinstance(source.parent(call), cst.Expr) or source.enclosing(call, cst.If, cst.IfExp)
    ):
        return
    if event.way.certain and name_given(event).get("mode") == TRUE and not _is_undone(source):
        message = "anomaly detection is on from here to the end of the process"
        yield Hit(
            event, message, remedy="write with torch.autograd.detect_anomaly(): around the step"
        )


def _is_undone(source: Source) -> bool:
    """Whether the file switches it off somewhere, or maybe."""
    calls = [event for _, event in source.evaluation.list_events((_SWITCH,))]
    return any(
        isinstance(event, Called) and name_given(event).get("mode") != TRUE for event in calls
    )
