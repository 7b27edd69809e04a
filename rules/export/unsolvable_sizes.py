"""LT138: two sizes that have to be one, which torch.export cannot solve for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.sizes import Dim, Operation, Size, floor_divide, varies
from lintorch.evaluator.values import Constant, Items, Tensor, Value
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import UNSOLVED, report_refusal
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT138",
    summary="two sizes that have to be one, which torch.export cannot solve for",
    why="""
        What was made half as large, rounded down, and twice as large again joins what it was made
        of: the two fit where the size was even, and the model raises at others. torch.export notes
        such an equation and goes on, but cannot where the size was rounded up on the way there, as
        by a 3×3 convolution with stride 2 and padding 1 ahead of MaxPool2d(2): sympy has no answer
        to `x/2 - 2*((x/2)//2) = 0`, and the export ends in NotImplementedError, "cannot be solved
        using solve_univariate_inequality", without a line, for Dim.DYNAMIC and Dim.AUTO alike. The
        new ONNX exporter ends with it. Rounded down alone (convolutions of 2×2 or 4×4, pools) or up
        alone (MaxPool2d(3, 2, 1)), it is solved. Measured on torch 2.13.

        Resize to the size of what it joins: `F.interpolate(low, size=high.shape[-2:])`. That runs
        at every size, and all exporters follow it. The fix puts that around what joins: where the
        sizes fit, that is the same bits and gradients, and elsewhere the model raised. Of what is
        joined along its width the height alone is resized.
    """,
    bad="""
        import torch
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(3, 4, 3, stride=2, padding=1)
                self.down = nn.MaxPool2d(2)
                self.twice = nn.Upsample(scale_factor=2)

            def forward(self, image):
                high = self.stem(image)
                low = self.twice(self.down(high))
                return torch.cat((high, low), 1)
    """,
    good="""
        import torch
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(3, 4, 3, stride=2, padding=1)
                self.down = nn.MaxPool2d(2)
                self.twice = nn.Upsample(scale_factor=2)

            def forward(self, image):
                high = self.stem(image)
                low = self.twice(self.down(high))
                return torch.cat((high, nn.functional.interpolate(low, size=high.shape[2:])), 1)
    """,
    remedy="resize to what it joins: F.interpolate(low, size=high.shape[-2:])",
    proof="""
        sizes = ({2: torch.export.Dim.DYNAMIC, 3: torch.export.Dim.DYNAMIC},)
        torch.export.export(Net(), (torch.ones(2, 3, 64, 64),), dynamic_shapes=sizes)
    """,
    fix=Applicability.SAFE,
    severity=Severity.ERROR,
)

REFUSED = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
JOINS = ("torch.cat", "torch.concat")
ELEMENTWISE = ("torch.add", "torch.sub", "torch.mul", "torch.Tensor.add", "torch.Tensor.mul")
STRETCHING = re.compile(
    r"torch\.nn\.(Upsample|Upsampling\w+|ConvTranspose\dd|PixelShuffle)\.forward"
    r"|torch\.nn\.functional\.(interpolate|upsample\w*|conv_transpose\dd|pixel_shuffle)"
)
_FAR = 12
"""Calls that are gone back through: layers that keep the size."""
SAID = "two sizes that have to be one cannot be solved for, as one was rounded up before it was rounded down"


@rule.event(Combined)
def in_sum(event: Combined, source: Source) -> Iterator[Hit]:
    """`high + low`."""
    yield from tell_join(event, [event.left, event.right], None, source)


@rule.event(*ELEMENTWISE)
def in_function(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.add(high, low)`."""
    given = (event.arguments.get(name) for name in ("self", "input", "other"))
    yield from tell_join(event, [each for each in given if each is not None], None, source)


@rule.event(*JOINS)
def in_cat(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.cat((high, low), 1)`: all axes but one have to be as long."""
    parts, along = event.arguments.get("tensors"), event.arguments.get("dim", Constant(0))
    if isinstance(parts, Items) and parts.items and isinstance(along, Constant):
        yield from tell_join(event, parts.items, along.value, source)


def tell_join(
    event: Combined | Called, parts: Sequence[Value], along: object, source: Source
) -> Iterator[Hit]:
    tensors = [each for each in parts if isinstance(each, Tensor) and each.shape]
    if not (event.way.forward and source.profile.dynamic) or len(tensors) != len(parts):
        return
    ranks = {len(each.shape or ()) for each in tensors}
    for one, other in pairwise(tensors) if len(ranks) == 1 else ():
        axes = [axis for axis in range(*ranks) if along not in (axis, axis - max(ranks))]
        for even, wide in ((one, other), (other, one)):
            fitting = [each for each in axes if each >= 2]
            if any(is_evened(even, wide, each, source) for each in axes):
                fix = resize(event, tensors, even, wide, fitting, source)
                yield Hit(event, SAID, fix, REFUSED)
                return
            if may_be_evened(even, wide, fitting, source):
                fix = resize(event, tensors, even, wide, fitting, source)
                yield Hit(event, SAID, fix, REFUSED, confirms=True)


def resize(
    event: Combined | Called,
    joined: list[Tensor],
    even: Tensor,
    wide: Tensor,
    fitting: list[int],
    source: Source,
) -> Fix | None:
    """`F.interpolate(low, size=high.shape[2:])` for `low`; along an axis that two are joined on it keeps its own size."""
    given, shape = list_given(event, source), wide.shape or ()
    if len(given) != len(joined) or len(shape) not in (3, 4, 5) or 1 in shape[2:]:
        return None
    places = (next(n for n, t in enumerate(joined) if t is each) for each in (even, wide))
    low, high = (given[each] for each in places)
    whole = len(fitting) == len(shape) - 2
    if not all(
        isinstance(e, (cst.Name, cst.Attribute)) for e in ([high] if whole else [low, high])
    ):
        return None
    name, edits = source.reach("torch.nn.functional.interpolate", low)
    size = f"{source.code(high)}.shape[2:]"
    if not whole:
        sides = (high if axis in fitting else low for axis in range(2, len(shape)))
        sizes = (f"{source.code(side)}.shape[{n}]" for n, side in enumerate(sides, 2))
        size = f"({', '.join(sizes)})"
    text = f"{name}({source.code(low)}, size={size})"
    return Fix(f"write {text}", (source.replace(low, text), *edits)) if name else None


def list_given(event: Combined | Called, source: Source) -> list[cst.BaseExpression]:
    """The operands as they are written; [] where they are not all seen."""
    node: cst.CSTNode | None
    if isinstance(event, Combined):
        node = source.node_at(event, cst.BinaryOperation)
        return [node.left, node.right] if isinstance(node, cst.BinaryOperation) else []
    node = source.call_at(event)
    args = node.args if isinstance(node, cst.Call) else ()
    if any(arg.star for arg in args):
        return []
    if event.name in ELEMENTWISE:
        held = (
            node.func.value
            if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)
            else None
        )
        method = [held] if held is not None and "Tensor" in event.name else []
        return [*method, *(arg.value for arg in args if arg.keyword is None)]
    parts = args[0].value if args else None
    items = parts.elements if isinstance(parts, (cst.Tuple, cst.List)) else ()
    return [each.value for each in items if isinstance(each, cst.Element)]


def is_evened(even: Tensor, other: Tensor, axis: int, source: Source) -> bool:
    """Whether one is `2 * (n // 2)` of the other, an n that was itself rounded up, and was stretched to it."""
    wide, size = (each.shape[axis] if each.shape else 0 for each in (even, other))
    if varies(size) is not True or not is_rounded(size) or wide == size:
        return False
    doubled = any(wide == times * floor_divide(size, times) for times in (2, 4))
    return doubled and is_stretched(even, axis, source)


def may_be_evened(even: Tensor, other: Tensor, axes: Sequence[int], source: Source) -> bool:
    """Whether one was stretched to what it joins, at sizes of which too little is known, as in a model within itself."""
    wide, sizes = (each.shape or () for each in (other, even))
    if any(wide[axis] == sizes[axis] or varies(sizes[axis]) is False for axis in axes):
        return False
    return any(is_stretched(even, axis, source) for axis in axes) and not any(
        is_stretched(other, axis, source) for axis in axes
    )


def is_stretched(tensor: Tensor, axis: int, source: Source) -> bool:
    """Whether an axis is as long as it is by what makes it longer, not by a view, which asks that the size divides."""
    value: Value | None = tensor
    shape = tensor.shape or ()
    for _ in range(_FAR):
        made = source.evaluation.ways.find_maker(value)
        if not isinstance(made, Called):
            return False
        if STRETCHING.fullmatch(made.name):
            return True
        given = (each for each in made.arguments.values() if isinstance(each, Tensor))
        alike = (e for e in given if len(e.shape or ()) == len(shape))
        value = next((e for e in alike if e.shape and e.shape[axis] == shape[axis]), None)
        if value is None:
            return False
    return False


def is_rounded(size: Dim) -> bool:
    """`(h + 1) // 2`: a quotient of what has a number added to it."""
    match size.terms if isinstance(size, Size) else ():
        case (((Operation(kind="//", operands=(Size() as divided, int())),), 1),):
            return any(not product and number > 0 for product, number in divided.terms)
    return False


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """Where the exporter's records name the line at which two sizes have to be one."""
    if outcome.site is not None and UNSOLVED in outcome.message:
        yield report_refusal(outcome, outcome, "it cannot solve for two sizes that have to be one")
