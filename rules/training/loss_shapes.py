"""LT430: a loss whose input and target do not fit each other: broadcast silently, or refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Refused
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.values import Tensor, Value
from lintorch.facts.models.loss_operands import (
    REFUSING,
    REFUSING_LAYERS,
    find_unfit_operands,
)
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT430",
    summary="a loss whose input and target do not fit",
    why="""
        mse_loss, l1_loss, smooth_l1_loss and huber_loss stretch their operands to one another:
        outputs of [B, 1] against targets of [B] become [B, B], every output is compared with the
        target of every other sample, and the model learns their mean. torch warns once. The
        others raise: binary_cross_entropy for sizes that differ and for targets of int64,
        cross_entropy for targets of [B, 1] and for class numbers that are floats. Measured on
        torch 2.13.

        Shapes are followed from where tensors are made, through a TensorDataset and its loader,
        layers and operations; where one is not known nothing is said.
    """,
    bad="""
        import torch
        from torch import nn

        values, returns = nn.Linear(4, 1), torch.ones(8)


        def error(states=torch.ones(8, 4)):
            return nn.functional.mse_loss(values(states), returns)
    """,
    good="""
        import torch
        from torch import nn

        values, returns = nn.Linear(4, 1), torch.ones(8)


        def error(states=torch.ones(8, 4)):
            return nn.functional.mse_loss(values(states).squeeze(1), returns)
    """,
    proof="""
        import warnings

        warnings.simplefilter("error")
        error()
    """,
    severity=Severity.WARNING,
)

_F = "torch.nn.functional."
_STRETCHING = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
_STRETCHING_LAYERS = ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss")
_HUBER = ("HuberLoss", "huber_loss")
_STRICT = (*_HUBER, "BCELoss", "binary_cross_entropy")
"""Losses that refuse a target of float64 where their input is float32."""
_SHARES = (*_STRICT, "BCEWithLogitsLoss", "binary_cross_entropy_with_logits")
_FLOATS = re.compile(r"^b?float")
_WHOLE = frozenset({"int64", "int32", "int16", "int8", "bool"})


@rule.event(
    *(f"{_F}{name}" for name in _STRETCHING),
    *(f"torch.nn.{name}.forward" for name in _STRETCHING_LAYERS),
)
def in_stretched(event: Called, source: Source) -> Iterator[Hit]:
    """`mse_loss(out, y)` of [B, 1] and [B]."""
    first, target = list_pair(event)
    if first is None or target is None or first.shape is None or target.shape is None:
        return
    sizes, others = first.shape, target.shape
    long, short = (sizes, others) if len(sizes) > len(others) else (others, sizes)
    if len(long) != len(short) + 1 or not short or long[-1] != 1 or short[-1] == 1:
        return
    if tuple(long[:-1]) != tuple(short):
        return
    rows = show_shape((*short[:-1], short[-1], short[-1]))
    message = (
        f"{show_shape(sizes)} against {show_shape(others)} is broadcast to {rows}, each with every"
        " other"
    )
    remedy = "squeeze(-1) the input" if long is sizes else "squeeze(-1) the target"
    yield Hit(event, message, remedy=remedy)


@rule.event(Combined)
def in_differences(event: Combined, source: Source) -> Iterator[Hit]:
    """`(out - y) ** 2` of [B, 1] that a layer gave and [B], in code that trains."""
    graph = source.evaluation.graphs.get(event.way.root)
    if event.operator != "Sub" or graph is None or not graph.has_backward:
        return
    pairs = ((event.left, event.right), (event.right, event.left))
    for out, other in ((as_sure(one), as_sure(two)) for one, two in pairs):
        long = out.shape if out is not None and is_of_layer(out, source) else None
        short = other.shape if other is not None else None
        if long is None or short is None or len(long) != 2 or len(short) != 1:
            continue
        if long[1] == 1 and long[0] == short[0] != 1:
            rows = show_shape((long[0], long[0]))
            message = f"{show_shape(long)} and {show_shape(short)} are broadcast to {rows}, each with every other"
            yield Hit(event, message, remedy="squeeze(-1) what the model gives")


def is_of_layer(out: Tensor, source: Source) -> bool:
    """Whether a linear layer, or an activation of one, gave it."""
    for _ in range(3):
        made = source.evaluation.ways.find_maker(out)
        if not isinstance(made, Called) or not made.name.endswith(".forward"):
            return False
        if made.name == "torch.nn.Linear.forward":
            return True
        given = made.positional[1] if len(made.positional) > 1 else None
        if not isinstance(given, Tensor):
            return False
        out = given
    return False


@rule.event(Refused)
def in_refusal(event: Refused, source: Source) -> Iterator[Hit]:
    """`cross_entropy(out, y)` of [B, C] and [B, 1]."""
    shapes = find_unfit_operands(event)
    if shapes is None:
        return
    short = event.name.rpartition(".")[2]
    shown = f"{show_shape(shapes[0])} with a target of {show_shape(shapes[1])}"
    advice = advise(*shapes)
    severity = Severity.ERROR if event.way.certain else Severity.WARNING
    yield Hit(event, f"{short} of {shown} raises", severity=severity, remedy=advice)


@rule.event(
    *(f"{_F}{name}" for name in REFUSING),
    *(f"torch.nn.{name}.forward" for name in REFUSING_LAYERS),
    *(f"{_F}huber_loss", "torch.nn.HuberLoss.forward"),
)
def in_kinds(event: Called, source: Source) -> Iterator[Hit]:
    """`cross_entropy(out, y)` where the class numbers are floats; `bce(out, y)` where y is int64."""
    first, target = list_pair(event)
    if first is None or target is None or target.dtype is None or is_one_of_losses(event, source):
        return
    short = event.name.removesuffix(".forward").rpartition(".")[2]
    if short in _SHARES:
        if is_of_other_type(first, target, short):
            late = " in backward()" if short in _HUBER else ""
            said = f"{short} of a target of {target.dtype} raises{late}"
            yield Hit(event, said, remedy="give it y.float()")
        return
    ranks = first.shape is not None and target.shape is not None
    lower = ranks and len(target.shape or ()) == len(first.shape or ()) - 1
    if lower and (_FLOATS.match(target.dtype) or target.dtype in ("int32", "int16", "bool")):
        yield Hit(
            event, f"{short} of class numbers of {target.dtype} raises", remedy="give it y.long()"
        )


def is_one_of_losses(event: Called, source: Source) -> bool:
    """Whether settings decide which loss it is: the kind of the target may hang on the same ones."""
    here = (each for _, each in source.evaluation.list_events({Called}))
    return any(
        isinstance(each, Called)
        and each.node is event.node
        and each.name != event.name
        and each.name.endswith("Loss.forward")
        for each in here
    )


def is_of_other_type(first: Tensor, target: Tensor, short: str) -> bool:
    """Whether a loss that wants a target of the type of its input is given another."""
    if target.dtype in _WHOLE:
        return first.dtype in (None, "float32", "float64")
    return short in _STRICT and first.dtype == "float32" and target.dtype == "float64"


def list_pair(event: Called) -> tuple[Tensor | None, Tensor | None]:
    """What a loss compares, where both surely are what they seem."""
    given = event.positional[event.name.endswith(".forward") :]
    first = given[0] if given else event.keyword.get("input")
    target = given[1] if len(given) > 1 else event.keyword.get("target")
    return as_sure(first), as_sure(target)


def as_sure(value: Value | None) -> Tensor | None:
    known = isinstance(value, Tensor) and value.sure and not value.guessed and not value.arms
    return value if known and isinstance(value, Tensor) and value.origin != "input" else None


def advise(sizes: tuple[Dim, ...], target: tuple[Dim, ...]) -> str:
    """What to write, where one of them has an axis of 1 at its end that the other lacks."""
    if len(target) == 2 and target[-1] == 1 and len(sizes) in (1, 2):
        return "squeeze(1) the target"
    if len(sizes) == len(target) + 1 and sizes[-1] == 1:
        return "squeeze(-1) the input"
    return "give both one shape: target.view_as(input), or expand_as(input)"


def show_shape(shape: tuple[Dim, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"
