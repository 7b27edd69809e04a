"""LT438: a setting of an optimizer where it does not look."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet
from lintorch.evaluator.values import External, Held, Value
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT438",
    summary="a setting of an optimizer where it does not look",
    why="""
        step() reads the learning rate, momentum and weight decay in `param_groups`.
        `optimizer.lr = lr` makes an attribute that nothing reads: the rate stays what it was, without
        a word.
        Measured on torch 2.13.
    """,
    bad="""
        import torch


        def train(model, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for number, batch in enumerate(batches):
                optimizer.lr = 0.1 / (number + 1)
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
            return optimizer
    """,
    good="""
        import torch


        def train(model, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for number, batch in enumerate(batches):
                for group in optimizer.param_groups:
                    group["lr"] = 0.1 / (number + 1)
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
            return optimizer
    """,
    remedy='set group["lr"] of each group in optimizer.param_groups',
    proof="""
        optimizer = train(torch.nn.Linear(1, 1), [torch.ones(1)] * 2)
        assert optimizer.param_groups[0]["lr"] == 0.05
    """,
    severity=Severity.WARNING,
)

SETTINGS = frozenset({"lr", "learning_rate", "weight_decay", "momentum", "betas", "eps"})


@rule.event(AttributeSet)
def in_attributes(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`optimizer.lr = 0.01`."""
    told = event.attribute in SETTINGS and is_optimizer(event.held)
    if told and "param_groups" not in words_around(event, source):
        yield Hit(event, f"the optimizer does not read {event.attribute}: it stays as it was")


def is_optimizer(value: Value) -> bool:
    """Whether it is an optimizer of torch."""
    kind = value.of if isinstance(value, Held) else None
    path = kind.path if isinstance(kind, External) else ""
    return path.startswith("torch.optim.") and "lr_scheduler" not in path


def words_around(event: AttributeSet, source: Source) -> set[str]:
    """What is named in the function that sets it."""
    function = next(
        (n for n in source.evaluation.list_around(event) if isinstance(n, ast.FunctionDef)), None
    )
    return {getattr(n, "attr", "") for n in ast.walk(function)} if function is not None else set()
