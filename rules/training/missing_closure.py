"""LT440: LBFGS steps without a closure."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import NONE
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT440",
    summary="LBFGS steps without a closure",
    why="""
        LBFGS asks for loss and gradients several times within one step, and so is given a function
        that works them out. `optimizer.step()` raises a TypeError. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def fit(model, x, y):
            optimizer = torch.optim.LBFGS(model.parameters())
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    """,
    good="""
        import torch


        def fit(model, x, y):
            optimizer = torch.optim.LBFGS(model.parameters())

            def closure():
                optimizer.zero_grad()
                loss = torch.nn.functional.mse_loss(model(x), y)
                loss.backward()
                return loss

            optimizer.step(closure)
    """,
    remedy="give it a function that clears the gradients, runs backward and returns the loss",
    proof="""
        fit(torch.nn.Linear(1, 1), torch.ones(2, 1), torch.ones(2, 1))
    """,
    severity=Severity.ERROR,
)


@rule.event("torch.optim.LBFGS.step")
def in_step(event: Called, source: Source) -> Iterator[Hit]:
    given = (*event.positional[1:], *event.keyword.values())
    bare = not event.open and (not given or given == (NONE,))
    if bare and all(e.name == event.name for e in source.evaluation.list_calls_at(event.spot)):
        yield Hit(event, "LBFGS.step() takes a closure: TypeError")
