"""LT826: a squeeze of what a pool left, which drops a batch of one too."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import Tensor
from lintorch.facts.models.operation_steps import find_operand
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT826",
    summary="a squeeze that drops a batch of one sample",
    why="""
        `squeeze()` takes away every axis of length 1. Behind a pool to 1x1 it is meant for height and width, and
        right for each batch but one of a single sample, which loses its first axis: a layer then gives one row less
        of axes, cross_entropy raises, and softmax(dim=1) too. That is the last batch of an epoch, or the model in
        service. torch.export keeps the axes of its example, and so differs from eager at a batch of one.
        Measured on torch 2.13.

        Reported where the lengths are known. reduction-dim, off by default, tells of others.
    """,
    bad="""
        from torch import nn


        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv, self.pool = nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1)

            def forward(self, x):
                return self.pool(self.conv(x)).squeeze()
    """,
    good="""
        from torch import nn


        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv, self.pool = nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1)

            def forward(self, x):
                return self.pool(self.conv(x)).flatten(1)
    """,
    remedy="write flatten(1), which keeps the batch",
    proof="""
        assert Encoder()(torch.ones(1, 3, 8, 8)).shape == (1, 8)
    """,
    fix=Applicability.UNSAFE,
)


@rule.event("torch.squeeze", "torch.Tensor.squeeze")
def in_forward(event: Called, source: Source) -> Iterator[Hit]:
    held = find_operand(event)
    told = event.open or len(event.positional) > 1 or not {"dim", "axis"}.isdisjoint(event.keyword)
    if told or not event.way.forward or not isinstance(held, Tensor) or held.guessed:
        return
    batch, *rest = held.shape or (1,)
    single = len(rest) > 1 and rest[-1] == 1 and all(size == 1 for size in rest[1:])
    if single and not isinstance(batch, int) and varies(batch) and rest[0] not in (1, batch):
        message = "squeeze() drops the batch too where it holds one sample"
        yield Hit(event, message, keep_batch(event, source))


def keep_batch(event: Called, source: Source) -> Fix | None:
    """`x.flatten(1)` for `x.squeeze()`."""
    call = source.call_at(event)
    func = call.func if call is not None else None
    if call is None or call.args or not isinstance(func, cst.Attribute):
        return None
    text = f"{source.code(func.value)}.flatten(1)"
    return Fix("keep the batch", (source.replace(call, text),), Applicability.UNSAFE)
