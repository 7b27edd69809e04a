"""LT804: a reduction that is not told along which axis, and so takes in the batch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Tensor
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT804",
    summary="a reduction without an axis in forward",
    why="""
        Without dim, argmax gives one index into the flattened batch, flatten before a layer
        merges the samples, and squeeze also drops the batch where it holds one sample: the model that was
        right for two gives another number of axes for one. softmax guesses the axis from the
        number of axes, and warns. Measured on torch 2.13.

        Off by default: a tensor without a batch, or a number that is to be taken out, is
        reduced the same way and cannot be told apart.
    """,
    bad="""
        from torch import nn


        class Score(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 1)

            def forward(self, x):
                return self.fc(x).squeeze()
    """,
    good="""
        from torch import nn


        class Score(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 1)

            def forward(self, x):
                return self.fc(x).squeeze(1)
    """,
    remedy="pass dim=",
    proof="""
        assert Score()(torch.randn(1, 8)).shape == (1,)
    """,
    severity=Severity.NOTE,
    default=False,
)

SAID = {
    "squeeze": "drops the batch where it holds one sample",
    "argmax": "is an index into the flattened batch",
    "argmin": "is an index into the flattened batch",
    "flatten": "merges the samples of the batch",
    "softmax": "guesses the axis",
    "log_softmax": "guesses the axis",
    "softmin": "guesses the axis",
}
HOMES = ("torch", "torch.Tensor", "torch.nn.functional")
NUMBERS = ("int", "float", "torch.Tensor.item", "torch.Tensor.tolist")
AXES = ("dim", "axis", "start_dim", "end_dim")


@rule.event(*(f"{home}.{name}" for home in HOMES for name in SAID))
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    short = event.name.rpartition(".")[2]
    told = len(event.positional) > 1 or event.open or any(a in event.keyword for a in AXES)
    inside = event.way.forward or any(n.endswith(".forward") for n in event.way.names[-1:])
    if not inside or told or is_of_vector(event, source):
        return
    given = next(iter((*event.positional, *event.keyword.values())), None)
    if isinstance(given, Tensor) and (short != "flatten" or feeds_layer(event, source)):
        yield Hit(event, f"{short} without dim {SAID[short]}")


def is_of_vector(event: Called, source: Source) -> bool:
    """Whether there is one axis only, or one number is made of the result: `int(x.argmax())`."""
    first = event.positional[0] if event.positional else None
    single = isinstance(first, Tensor) and first.shape is not None and len(first.shape) == 1
    users = source.evaluation.ways.find_users(event.result)
    return single or any(isinstance(each, Called) and each.name in NUMBERS for each in users)


def feeds_layer(event: Called, source: Source) -> bool:
    """Whether what comes out goes right into a layer: `self.fc(x.flatten())`."""
    outer = next(source.evaluation.list_around(event), None)
    if isinstance(outer, ast.Call) and ast.unparse(outer.func).startswith("self."):
        return True
    users = source.evaluation.ways.find_users(event.result)
    return any(isinstance(each, Called) and each.built is not None for each in users)
