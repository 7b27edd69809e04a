"""LT804: a reduction that is not told along which axis, and so takes in the batch."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.classes.classes import is_self
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
WORDS = tuple(
    f"{name}(" for name in ("squeeze", "argmax", "argmin", "flatten", "softmax", "softmin")
)
AXES = ("dim", "axis", "start_dim", "end_dim")


@rule.source(cst.Call, needs=WORDS)
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name, func = source.name(call.func), call.func
    short = name.rpartition(".")[2] or (func.attr.value if isinstance(func, cst.Attribute) else "")
    if short not in SAID or not source.in_forward(call):
        return
    first = 1 if name else 0
    given = source.arguments(call, *("input",) * first, "dim")
    told = len(call.args) > first or not given.complete or any(a in given.by_name for a in AXES)
    if (
        not told
        and is_batch(call, name, source)
        and (short != "flatten" or feeds_layer(call, source))
    ):
        yield Hit(call, f"{short} without dim {SAID[short]}")


def feeds_layer(call: cst.Call, source: Source) -> bool:
    """Whether what comes out goes right into a layer: `self.fc(x.flatten())`."""
    arg = source.parent(call)
    outer = source.parent(arg) if isinstance(arg, cst.Arg) else None
    return (
        isinstance(outer, cst.Call)
        and isinstance(outer.func, cst.Attribute)
        and is_self(outer.func.value)
    )


def is_batch(call: cst.Call, name: str, source: Source) -> bool:
    """Whether the function is torch's, or the method a tensor's."""
    if name:
        return name.startswith(("torch.nn.functional.", "torch.")) and name.count(".") in (1, 3)
    return isinstance(call.func, cst.Attribute) and source.value(call.func.value).is_tensor
