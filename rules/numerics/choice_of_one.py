"""LT820: a softmax, an argmax or a cross entropy over one number."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.values import Tensor, Value
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT820",
    summary="a softmax over one number",
    why="""
        The softmax of one number is 1, its logarithm 0, and argmax picks place 0, whatever the
        number is: behind `nn.Linear(d, 1)` a softmax over the last axis passes nothing on, and no
        gradient comes back through it. So does cross_entropy over a single class, whose loss is 0.
        Weights over the steps of a sequence are a softmax over the axis of the steps; one score of
        a class of two goes into a sigmoid, and into binary_cross_entropy_with_logits. Reported where
        the layer is built with a 1 that is written there. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        class Pooling(nn.Module):
            def __init__(self, wide=8):
                super().__init__()
                self.score = nn.Linear(wide, 1)

            def forward(self, steps):
                weights = torch.softmax(self.score(steps), dim=-1)
                return (weights * steps).sum(1)
    """,
    good="""
        import torch
        from torch import nn


        class Pooling(nn.Module):
            def __init__(self, wide=8):
                super().__init__()
                self.score = nn.Linear(wide, 1)

            def forward(self, steps):
                weights = torch.softmax(self.score(steps), dim=1)
                return (weights * steps).sum(1)
    """,
    proof="""
        pooling, steps = Pooling(), torch.ones(2, 5, 8)
        assert torch.allclose(pooling(steps), steps.mean(1)), "five equal steps have the mean of one"
    """,
    remedy="take it over the axis that is to be weighed, or a sigmoid of one score",
)

SOFT = ("softmax", "log_softmax", "softmin")
FUNCTIONS = tuple(
    f"{home}.{name}"
    for home in ("torch", "torch.Tensor", "torch.nn.functional")
    for name in (*SOFT, "argmax")
)
LAYERS = tuple(f"torch.nn.{name}.forward" for name in ("Softmax", "LogSoftmax", "Softmin"))
LOSSES = ("torch.nn.functional.cross_entropy", "torch.nn.CrossEntropyLoss.forward")
GIVES = {"softmax": 1, "log_softmax": 0, "softmin": 1, "argmax": 0, "logsoftmax": 0}
PASSED = frozenset(
    {
        "relu", "leaky_relu", "tanh", "sigmoid", "gelu", "dropout", "leakyrelu", "float", "Div", "Mult",
        "masked_fill", "clamp", "contiguous",
    }
)  # fmt: skip
"""What keeps all axes."""
OUTPUTS = {"linear": "out_features", "conv1d": "out_channels", "conv2d": "out_channels"}
AXES = {"conv1d": (1, -2), "conv2d": (1, -3)}


@rule.event(*FUNCTIONS, *LAYERS)
def in_softmax(event: Called, source: Source) -> Iterator[Hit]:
    given = event.settings if event.name in LAYERS else event.arguments
    axis, name = read_plain(given.get("dim")), name_operation(event)
    if type(axis) is int and is_single(find_operand(event), axis, source):
        yield Hit(event, f"{name} over one number is {GIVES[name]}, whatever it is")


@rule.event(*LOSSES)
def in_loss(event: Called, source: Source) -> Iterator[Hit]:
    if is_single(find_operand(event), 1, source):
        remedy = (
            "build the layer with as many outputs as there are classes, or take a loss of one score"
        )
        yield Hit(event, "cross_entropy over one class is 0, whatever its score is", remedy=remedy)


def is_single(value: Value | None, axis: int, source: Source) -> bool:
    """Whether an axis of it is the one output of a layer."""
    for step in source.evaluation.steps.list_steps(value):
        if step.name in OUTPUTS and isinstance(step.event, Called):
            return is_of_outputs(value, axis, step.name) and is_written_as_one(step.event, source)
        if step.name not in PASSED:
            return False
    return False


def is_of_outputs(value: Value | None, axis: int, layer: str) -> bool:
    """Whether it is the axis on which a layer puts its outputs."""
    if layer != "linear":
        return axis in AXES[layer]
    shape = value.shape if isinstance(value, Tensor) and not value.guessed else None
    return axis == -1 or (shape is not None and axis == len(shape) - 1)


def is_written_as_one(run: Called, source: Source) -> bool:
    """Whether the number of outputs is a 1 where the layer is built, not what a setting stands at."""
    made = source.evaluation.find_making(run)
    node = made.node if made is not None else None
    if not isinstance(node, ast.Call):
        return False
    named = {each.arg: each.value for each in node.keywords}
    given = named.get(OUTPUTS[name_operation(run)], node.args[1] if len(node.args) > 1 else None)
    return isinstance(given, ast.Constant) and given.value == 1
