"""What a model gives, what it is held against and by which loss, as these fit together."""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch
from torch import nn

from lintorch.guest.training.batch_form import BatchForm
from lintorch.guest.training.small_model import CLASSES

ROWS, BATCHES = 2, 3
"""Of a batch, and of a loader."""
_SIDE, _LONG = 8, 7
_TARGET = re.compile(r"target|label|^gt|_gt|^y|truth|^_$|lbl|ann|class|cls")
_PLACES = re.compile(r"mask|seg|semantic")
_OUTPUT = re.compile(r"output|pred|logit|score|prob(s|ab|$)|_hat$|^out$")
_NUMBERS = re.compile(r"idx|index|(^|_)ids?$|name|path|length|lens?$|token|src|tgt|seq|text|word|caption")  # fmt: skip


@dataclass(frozen=True)
class Goal:
    """One way for these to fit: `output` as of `SmallModel`; `target` "class", "places", "like" or "value"."""

    output: str
    target: str
    loss: type[nn.Module]
    image: bool = True
    """Whether inputs have height and width."""
    shape: tuple[int, int, int] = (3, 8, 8)
    """Of an image."""


GOALS = (
    Goal("classes", "class", nn.CrossEntropyLoss),
    Goal("like", "like", nn.MSELoss),
    Goal("classes", "class", nn.CrossEntropyLoss, shape=(1, 28, 28)),
    Goal("both", "class", nn.CrossEntropyLoss),
    Goal("loss", "class", nn.CrossEntropyLoss),
    Goal("losses", "class", nn.CrossEntropyLoss),
    Goal("named", "class", nn.CrossEntropyLoss),
    Goal("dense", "places", nn.CrossEntropyLoss),
    Goal("values", "value", nn.BCEWithLogitsLoss),
    Goal("chances", "value", nn.BCELoss),
    Goal("classes", "class", nn.CrossEntropyLoss, image=False),
    Goal("classes", "like", nn.CrossEntropyLoss, image=False),
    Goal("values", "value", nn.BCEWithLogitsLoss, shape=(1, 28, 28)),
)
"""The likeliest first; a way that six of them fail alike in is given up."""


_OUTPUTS: dict[str, tuple[int, ...]] = {
    "like": (),
    "dense": (ROWS, CLASSES, _SIDE, _SIDE),
    "values": (ROWS, 1),
    "chances": (ROWS, 1),
}
"""The sizes of what a model gave, () for those of an input; of all others one score for each class."""


def make_batch(form: BatchForm, goal: Goal, generator: torch.Generator) -> object:
    """A batch of this form, of random numbers."""
    if form.by_key:
        return {key: make_batch(each, goal, generator) for key, each in form.by_key.items()}
    if form.in_order:
        return [make_batch(each, goal, generator) for each in form.in_order]
    return _make_tensor(form.name.lower(), goal, generator)


def _make_tensor(name: str, goal: Goal, generator: torch.Generator) -> torch.Tensor:
    shape = (ROWS, *goal.shape) if goal.image else (ROWS, _SIDE)
    if _OUTPUT.search(name):
        return torch.rand(_OUTPUTS.get(goal.output, (ROWS, CLASSES)) or shape, generator=generator)
    if _PLACES.search(name) and goal.target != "like":
        return _draw(CLASSES, (ROWS, _SIDE, _SIDE), generator)
    if _TARGET.search(name):
        match goal.target:
            case "class":
                return _draw(CLASSES, (ROWS,), generator)
            case "places":
                return _draw(CLASSES, (ROWS, _SIDE, _SIDE), generator)
            case "value":
                return _draw(2, (ROWS, 1), generator).float()
    if _NUMBERS.search(name):
        return _draw(CLASSES, (ROWS, _LONG), generator)
    return torch.rand(shape, generator=generator)


def _draw(below: int, shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    return torch.randint(0, below, shape, generator=generator)
