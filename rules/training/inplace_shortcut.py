"""LT417: an activation in place at the head of a residual branch, which changes the shortcut too."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.values import Tensor
from lintorch.facts.models.one_way import may_follow
from lintorch.facts.models.operation_steps import name_operation
from lintorch.facts.models.tensor_writes import find_written
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT417",
    remedy="drop inplace=True there, or give it x.clone()",
    summary="an activation in place that changes a shortcut",
    why="""
        `self.branch(x) + x`, where the branch begins with an activation in place: the shortcut
        is changed too, and nothing says so. With ReLU it adds relu(x), measured on torch 2.13;
        negative numbers and their gradients are lost on the shortcut. Weights that were trained
        so need it so: where a model is published with its weights, write relu(x) for both.

        `inplace=False` at the head of the branch keeps the shortcut as it is.
    """,
    bad="""
        from torch import nn


        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.branch = nn.Sequential(nn.ReLU(inplace=True), nn.Identity())

            def forward(self, x):
                return self.branch(x) + x
    """,
    good="""
        from torch import nn


        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.branch = nn.Sequential(nn.ReLU(inplace=False), nn.Identity())

            def forward(self, x):
                return self.branch(x) + x
    """,
    proof="""
        assert Block()(torch.full((1,), -1.0)) == -1
    """,
    formerly=("LT402", "inplace-on-saved"),
)

ACTIVATIONS = ("ReLU", "LeakyReLU", "ELU", "SiLU", "Hardswish", "ReLU6", "Mish", "SELU", "CELU")
FUNCTIONS = ("relu", "leaky_relu", "elu", "silu", "hardswish", "relu6", "mish", "selu", "celu")
TWICE_ALIKE = ("relu", "relu_", "relu6")
"""Activations that change nothing of what they gave."""


@rule.event(*(f"torch.nn.{name}.forward" for name in ACTIVATIONS))
@rule.event(*(f"torch.nn.functional.{name}" for name in FUNCTIONS))
@rule.event("torch.nn.functional.relu_", "torch.relu_", "torch.Tensor.relu_")
def in_branches(event: Called, source: Source) -> Iterator[Hit]:
    written = find_written(event)
    if written is None or is_active(written, event, source):
        return
    ways, place = source.evaluation.ways, source.evaluation.find_position
    for used in ways.find_users(written):
        if not isinstance(used, Combined) or is_rebound(written, event, used, source):
            continue
        added = used.operator == "Add" and joins_tensors(used)
        later = used.way.root == event.way.root and place(used) > place(event)
        if added and later and may_follow(event, used, source.evaluation):
            yield Hit(event, describe(source.evaluation.text(used.spot)))
            return


def is_rebound(written: Tensor, event: Called, used: Combined, source: Source) -> bool:
    """Whether what is added is something else by then, of a later call that gives the same."""
    function = source.evaluation.find_function(used)
    sides = [*list_sides(written, used)]
    if function is None or not sides or event.spot.path != used.spot.path:
        return False
    between = range(event.spot.row, used.spot.row)
    stored = {
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each.lineno in between
    }
    apart = source.evaluation.find_function(event) is not function
    if apart and all(is_fresh(side, used, function) for side in sides):
        return True
    return all(
        {name.id for name in list_names(side)} <= stored or (isinstance(side, ast.Call) and apart)
        for side in sides
    )


def is_fresh(side: ast.expr, used: Combined, function: ast.AST) -> bool:
    """`out = self.body(x)` in the line above `out += shortcut`: nothing ran in between that could write to it."""
    row = used.spot.row
    lines = [e for e in ast.walk(function) if isinstance(e, ast.Assign) and e.lineno < row]
    last = max(lines, key=lambda each: each.lineno, default=None)
    if last is None or not isinstance(last.value, ast.Call) or not isinstance(side, ast.Name):
        return False
    between = (e for e in ast.walk(function) if isinstance(e, ast.Expr) and e.lineno < row)
    return ast.unparse(last.targets[0]) == side.id and all(
        each.lineno < last.lineno for each in between
    )


def list_names(side: ast.expr) -> list[ast.Name]:
    """The name that is added, or the names that a call is given of which it is the result."""
    if not isinstance(side, ast.Call):
        return [each for each in ast.walk(side) if isinstance(each, ast.Name)]
    given = [*side.args, *(each.value for each in side.keywords)]
    return [each for part in given for each in ast.walk(part) if isinstance(each, ast.Name)]


def list_sides(written: Tensor, used: Combined) -> Iterator[ast.expr]:
    """What is written on the sides of a sum that are, or may be, a tensor."""
    node = used.node
    if isinstance(node, ast.BinOp):
        written_as = (node.left, node.right)
    elif isinstance(node, ast.AugAssign):
        written_as = (node.target, node.value)
    else:
        return
    for side, value in zip(written_as, (used.left, used.right), strict=True):
        arms = value.arms if isinstance(value, Tensor) else ()
        if any(each is written for each in (value, *arms)):
            yield side


def joins_tensors(used: Combined) -> bool:
    """Two branches, and no number."""
    return isinstance(used.left, Tensor) and isinstance(used.right, Tensor)


def is_active(written: Tensor, event: Called, source: Source) -> bool:
    """Whether the same activation gave it: again, it changes nothing."""
    made = source.evaluation.ways.find_maker(written)
    name = name_operation(event).removesuffix("_")
    if made is None or name not in TWICE_ALIKE:
        return False
    return name_operation(made).removesuffix("_") == name


def describe(text: str) -> str:
    return f"works in place, and so changes the shortcut that `{text}` adds"
