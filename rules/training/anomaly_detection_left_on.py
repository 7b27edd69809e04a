"""LT414: anomaly detection that is switched on for good."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
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


@rule.source(cst.Call, needs=("set_detect_anomaly",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != _SWITCH or not isinstance(source.parent(call), cst.Expr):
        return
    given = source.arguments(call, "mode", "check_nan")
    choice = source.enclosing(call, cst.If, cst.IfExp, cst.Try)
    if given.value("mode") is True and choice is None and not _is_undone(source):
        yield Hit(call, "anomaly detection is on from here to the end of the process")


def _is_undone(source: Source) -> bool:
    """Whether the file switches it off somewhere."""
    calls = (c for c in source.nodes(cst.Call) if source.name(c.func) == _SWITCH)
    return any(source.arguments(c, "mode").value("mode") is not True for c in calls)
