"""LT824: one index into the whole batch, compared with all its labels."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.facts.classes.written_once import find_written
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT824",
    summary="an argmax over the whole batch that is counted against its labels",
    why="""
        Without dim, argmax takes the largest number of all samples and gives one index into the flattened batch.
        Compared with the labels it broadcasts, and the sum of what is equal is some number: an accuracy that
        means nothing, without a word. Measured on torch 2.13.

        Reported where what is equal is added up or averaged: of one sample nobody would.
    """,
    bad="""
        def count_right(model, x, y):
            guess = model(x).argmax()
            return (guess == y).sum()
    """,
    good="""
        def count_right(model, x, y):
            guess = model(x).argmax(1)
            return (guess == y).sum()
    """,
    remedy="pass dim=1, or dim=-1",
    proof="""
        torch.manual_seed(0)
        x = torch.eye(3)
        assert count_right(torch.nn.Identity(), x, torch.arange(3)) == 3
    """,
    fix=Applicability.UNSAFE,
)

NAMES = ("argmax", "argmin")
_COUNTS = ("sum", "mean")
_KEEPS = ("float", "int", "long", "double", "type", "to", "cpu", "detach", "view")


@rule.source(cst.Call, needs=NAMES)
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`(guess == y).sum()`, `torch.sum(guess.eq(y))`, `(guess == y).float().mean()`."""
    func, name = call.func, source.name(call.func)
    counted: cst.BaseExpression | None = None
    if name in ("torch.sum", "torch.mean", "torch.Tensor.sum", "torch.Tensor.mean") and call.args:
        counted = call.args[0].value
    elif isinstance(func, cst.Attribute) and func.attr.value in _COUNTS and not call.args:
        counted = func.value
    for side, facing in list_sides(counted, source) if counted is not None else ():
        chosen = find_choice(side, source)
        if chosen is None or is_number(facing, source) or find_choice(facing, source) is not None:
            continue
        text = source.code(side)
        message = f"{text} is one index into the whole batch, not one for each sample"
        yield Hit(chosen, message, along(chosen, source))
        return


def list_sides(
    counted: cst.BaseExpression, source: Source
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """Both sides of the comparison that is counted, each with the other."""
    node = find_written(counted, source)
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        if node.func.attr.value not in _KEEPS:
            break
        node = find_written(node.func.value, source)
    pair: list[cst.BaseExpression] = []
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        other = node.comparisons[0]
        pair = [node.left, other.comparator] if isinstance(other.operator, cst.Equal) else []
    elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        given = [each.value for each in node.args]
        if source.name(node.func) in ("torch.eq", "torch.Tensor.eq"):
            pair = given
        elif node.func.attr.value == "eq":
            pair = [node.func.value, *given]
    if len(pair) == 2:
        yield pair[0], pair[1]
        yield pair[1], pair[0]


def find_choice(side: cst.BaseExpression, source: Source) -> cst.Call | None:
    """`x.argmax()`, `torch.argmax(x)`, by a name too."""
    side = find_written(side, source)
    if not isinstance(side, cst.Call) or not isinstance(side.func, cst.Attribute):
        return None
    written = source.name(side.func).rpartition(".")[0] in ("torch", "torch.Tensor")
    whole = 1 if written else 0
    plain = side.func.attr.value in NAMES and len(side.args) == whole
    foreign = source.name(side.func).partition(".")[0] in ("numpy", "jax", "tensorflow")
    return side if plain and not foreign and not any(a.keyword for a in side.args) else None


def is_number(facing: cst.BaseExpression, source: Source) -> bool:
    """Whether it is one label: `y[0]`, `y.item()`, `3`."""
    if isinstance(facing, (cst.Subscript, cst.Integer)):
        return True
    return source.code(facing).endswith((".item()", ".argmax()", ".argmin()"))


def along(chosen: cst.Call, source: Source) -> Fix:
    end = source.replace(chosen, "").end - 1
    given = ", 1" if chosen.args else "1"
    return Fix("take it along dim 1", (Edit(end, end, given),), Applicability.UNSAFE)
