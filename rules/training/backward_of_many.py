"""LT441: backward() of a loss that is not one number."""

from __future__ import annotations

import math
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.values import Tensor, Value
from lintorch.facts.models.unreduced_losses import is_unreduced
from lintorch.source import Act, Action, Source, Training

rule = Rule(
    __name__,
    code="LT441",
    summary="backward() of a loss that is not one number",
    why="""
        backward() of more than one number raises "grad can be implicitly created only for scalar
        outputs": a loss with reduction="none" that was weighted, and of which nobody took the mean.
        Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def train(model, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            criterion = nn.MSELoss(reduction="none")
            for x, y, weight in batches:
                loss = weight * criterion(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    """,
    good="""
        import torch
        from torch import nn


        def train(model, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            criterion = nn.MSELoss(reduction="none")
            for x, y, weight in batches:
                loss = weight * criterion(model(x), y)
                optimizer.zero_grad()
                loss.mean().backward()
                optimizer.step()
    """,
    remedy="write loss.mean().backward()",
    proof="""
        train(nn.Linear(2, 1), [(torch.ones(3, 2), torch.ones(3, 1), torch.ones(3, 1))])
    """,
    severity=Severity.ERROR,
)

_DEEPEST = 12


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    told = set()
    for action in training.actions:
        plain = action.act is Act.BACKWARD and action.by is None and is_plain(action)
        if plain and action.at.spot not in told and has_many(action.value, source):
            told.add(action.at.spot)
            yield Hit(action.at, "backward() of more than one number raises")


def is_plain(action: Action) -> bool:
    """Whether it is given no gradient to begin with."""
    event = action.at
    if not isinstance(event, Called) or event.name != "torch.Tensor.backward":
        return False
    return len(event.positional) == 1 and not {"gradient", "grad_tensors"} & {*action.keywords}


def has_many(value: Value | None, source: Source) -> bool:
    """Whether it surely is more than one number: by its sizes, or as a loss that nothing reduced."""
    for _ in range(_DEEPEST):
        if not isinstance(value, Tensor) or value.guessed or value.arms:
            return False
        if value.shape is not None and all(isinstance(size, int) for size in value.shape):
            return math.prod(size for size in value.shape if isinstance(size, int)) > 1
        made = source.evaluation.ways.find_maker(value)
        if isinstance(made, Combined) and made.operator in ("Mult", "Div"):
            sides = (made.left, made.right)
            return any(each is not value and has_many(each, source) for each in sides)
        if not isinstance(made, Called) or not made.name.startswith("torch.nn."):
            return False
        return is_unreduced(made)
    return False
