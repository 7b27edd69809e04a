"""LT814: a root of what may be exactly zero, whose gradient is NaN there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Indexed
from lintorch.evaluator.values import NONE, Constant, Items, Value
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.facts.models.value_ways import Operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT814",
    summary="the gradient of a root at zero",
    why="""
        The slope of sqrt at 0 is infinite, and infinite times the slope of the square under it, which is 0,
        is NaN: one such element makes all weights NaN. The distances of points to each other have zeros
        on the diagonal; `clamp(min=0)` leaves those as they are. Reported where the file runs a backward
        pass or the function is a loss. cdist, and norm of the differences, have a gradient of 0 there.
        Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        class SpreadLoss(nn.Module):
            def forward(self, points):
                offsets = points[:, None] - points[None, :]
                return torch.sqrt((offsets**2).sum(-1)).mean()
    """,
    good="""
        import torch
        from torch import nn


        class SpreadLoss(nn.Module):
            def forward(self, points):
                offsets = points[:, None] - points[None, :]
                return torch.sqrt((offsets**2).sum(-1) + 1e-12).mean()
    """,
    proof="""
        points = torch.randn(3, 2, requires_grad=True)
        SpreadLoss()(points).backward()
        assert points.grad.isfinite().all()
    """,
    remedy="keep it above zero: add a small number under the root, or clamp(min=1e-12)",
)

ROOTS = tuple(f"{home}.{name}" for home in ("torch", "torch.Tensor") for name in ("sqrt", "sqrt_"))
SQUARES = frozenset({"pow", "Pow", "square", "mul", "Mult"})
SUMS = frozenset({"sum", "mean"})
CLAMPS = frozenset({"clamp", "clamp_", "clamp_min", "clamp_min_", "clip"})
MET = "the gradient of the root is NaN where a point meets itself"
ZERO = (Constant(0), Constant(0.0))


@rule.event(*ROOTS)
def in_roots(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.sqrt((a[:, None] - a[None]) ** 2).sum(-1))`, `d.clamp(min=0).sqrt()`."""
    yield from judge_root(event, find_operand(event), source)


@rule.event(Combined)
def in_powers(event: Combined, source: Source) -> Iterator[Hit]:
    """`x ** 0.5`."""
    if event.operator == "Pow" and event.right == Constant(0.5):
        yield from judge_root(event, event.left, source)


def judge_root(event: Operation, under: Value | None, source: Source) -> Iterator[Hit]:
    ways = source.evaluation.ways
    made = ways.find_maker(under)
    if made is None or not works_out_gradients(event, source):
        return
    name = name_operation(made)
    if name in CLAMPS and is_clamped_at_zero(made):
        if is_of_products(find_operand(made), source):
            yield Hit(event, f"{MET}, at a distance of 0 that {name} leaves")
        return
    if name in SUMS:
        made = ways.find_maker(find_operand(made))
    if made is None or name_operation(made) not in SQUARES:
        return
    squared = made.left if isinstance(made, Combined) else find_operand(made)
    if is_of_pairs(squared, source, "Sub"):
        yield Hit(event, f"{MET}, at a distance of 0")


def works_out_gradients(event: Operation, source: Source) -> bool:
    """Whether it is in a forward or a loss, or in a file that runs backward passes."""
    graph = source.evaluation.graphs.get(event.way.root)
    if graph is not None and graph.is_quiet(event):
        return False
    if any(map(_OF_DATA.search, event.way.names)):
        return False
    of_loss = any("loss" in each.lower() for each in event.way.names)
    return of_loss or "backward" in source.evaluation.words


_OF_DATA = re.compile(
    r"\.__getitem__$|Dataset\b|Metrics?\.|(^|_)(evaluate|metrics?|accuracy|fid)(_|$)"
)
"""Names of what makes samples, or measures: nobody works out gradients there."""


def is_clamped_at_zero(made: Operation) -> bool:
    """`clamp(min=0)`, `clamp(0)`."""
    return isinstance(made, Called) and not made.open and made.arguments.get("min") in ZERO


def is_of_products(value: Value | None, source: Source) -> bool:
    """`s[:, None] + s[None] - 2 * x @ x.T`, the squares of distances."""
    made = source.evaluation.ways.find_maker(value)
    less = isinstance(made, Combined) and made.operator == "Sub"
    return less and isinstance(made, Combined) and is_of_pairs(made.left, source, "Add")


def is_of_pairs(value: Value | None, source: Source, operator: str) -> bool:
    """Whether one tensor meets itself in it, along two other axes."""
    made = source.evaluation.ways.find_maker(value)
    if not isinstance(made, Combined) or made.operator != operator:
        return False
    left, right = (find_spread(each, source) for each in (made.left, made.right))
    return left is not None and left is right and made.left is not made.right


def find_spread(value: Value, source: Source) -> Value | None:
    """The tensor that has a further axis in a value: `x[:, None]`, `x.unsqueeze(1)`."""
    made = source.evaluation.ways.find_maker(value)
    if isinstance(made, Indexed):
        parts = made.index.items if isinstance(made.index, Items) else (made.index,)
        return made.held if parts and NONE in parts else None
    if isinstance(made, Called) and name_operation(made) == "unsqueeze":
        return find_operand(made)
    return None
