"""LT445: a class of losses that is called with what a loss compares."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.unknown_objects import ModelOutput
from lintorch.evaluator.values import Constant, Number, Tensor, Unknown, Value
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT445",
    summary="a class of losses that is called with what a loss compares",
    why="""
        nn.MSELoss is a class: its constructor takes settings, and `nn.MSELoss(out, y)` takes out and y for
        the retired size_average and reduce, whose truth it asks: it raises, or gives a module that has no
        backward(). Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def train(model, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            for x, y in batches:
                optimizer.zero_grad()
                loss = nn.MSELoss(model(x), y)
                loss.backward()
                optimizer.step()
    """,
    good="""
        import torch
        from torch import nn


        def train(model, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            for x, y in batches:
                optimizer.zero_grad()
                loss = nn.MSELoss()(model(x), y)
                loss.backward()
                optimizer.step()
    """,
    remedy="make it first: nn.MSELoss()(out, y)",
    proof="""
        train(nn.Linear(2, 1), [(torch.randn(2, 2), torch.randn(2, 1))])
    """,
    severity=Severity.ERROR,
)

KINDS = (
    "MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCELoss", "BCEWithLogitsLoss",
    "CrossEntropyLoss", "NLLLoss", "KLDivLoss",
)  # fmt: skip


@rule.event(*(f"torch.nn.{name}" for name in KINDS))
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    short = event.name.rpartition(".")[2]
    given = event.positional
    two = len(given) == 2 and not event.open and not event.keyword
    if two and is_computed(given[0], source) and not isinstance(given[1], (Constant, Number)):
        yield Hit(event, f"{short}(…) makes a loss, and computes none: it raises")


def is_computed(value: Value, source: Source) -> bool:
    """Whether it is what a model or an operation gave."""
    made = source.evaluation.ways.find_unknown_maker(value)
    given = isinstance(value, Unknown) and made is not None and not made.method
    tensor = isinstance(value, Tensor) and value.sure and value.origin == ""
    return tensor or given or isinstance(value, ModelOutput)
