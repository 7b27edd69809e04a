"""LT824: one index into the whole batch, compared with all its labels."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit
from lintorch.core.rule import Rule
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
COUNTS = r"^\(*%s\)*(\.(float|int|long|double|type|to|cpu|detach|view)\([^()]*\))*\.(sum|mean)\("
ADDED = r"^torch\.(sum|mean)\(\(*%s\)*(\.(float|int|long|double)\(\))?\)"


@rule.source(cst.Comparison, needs=NAMES)
def in_comparison(node: cst.Comparison, source: Source) -> Iterator[Hit]:
    other = node.comparisons[0]
    if len(node.comparisons) == 1 and isinstance(other.operator, cst.Equal):
        for side, facing in ((node.left, other.comparator), (other.comparator, node.left)):
            yield from judge(side, facing, node, source)


@rule.source(cst.Call, needs=NAMES)
def in_method(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`guess.eq(y).sum()`, `torch.eq(guess, y).sum()`."""
    func, given = call.func, [each.value for each in call.args]
    if source.name(func) == "torch.eq" and len(given) == 2:
        yield from judge(given[0], given[1], call, source)
    elif isinstance(func, cst.Attribute) and func.attr.value == "eq" and len(given) == 1:
        yield from judge(func.value, given[0], call, source)


def judge(
    side: cst.BaseExpression, facing: cst.BaseExpression, whole: cst.BaseExpression, source: Source
) -> Iterator[Hit]:
    chosen = find_choice(side, source)
    if chosen is None or is_number(facing, source) or find_choice(facing, source) is not None:
        return
    if is_counted(whole, source):
        message = f"{source.code(side)} is one index into the whole batch, not one for each sample"
        yield Hit(chosen, message, along(chosen, source))


def find_choice(side: cst.BaseExpression, source: Source) -> cst.Call | None:
    """`x.argmax()`, `torch.argmax(x)`, by a name too."""
    if isinstance(side, cst.Name):
        values = source.classes.assigned(side)
        side = values[0] if len(values) == 1 else side
    if not isinstance(side, cst.Call) or not isinstance(side.func, cst.Attribute):
        return None
    whole = 1 if source.name(side.func) in ("torch.argmax", "torch.argmin") else 0
    plain = side.func.attr.value in NAMES and len(side.args) == whole
    foreign = source.name(side.func).partition(".")[0] in ("numpy", "jax", "tensorflow")
    return side if plain and not foreign and not any(a.keyword for a in side.args) else None


def is_number(facing: cst.BaseExpression, source: Source) -> bool:
    """Whether it is one label: `y[0]`, `y.item()`, `3`."""
    if isinstance(facing, (cst.Subscript, cst.Integer)):
        return True
    return source.code(facing).endswith((".item()", ".argmax()", ".argmin()"))


def is_counted(whole: cst.BaseExpression, source: Source) -> bool:
    """Whether all that is equal is added up: `(guess == y).sum()`."""
    text = re.escape(source.code(whole))
    for outer in source.ancestors(whole):
        if not isinstance(outer, cst.BaseExpression | cst.Arg):
            return False
        written = source.code(outer)
        if any(re.match(each % text, written) for each in (COUNTS, ADDED)):
            return True
    return False


def along(chosen: cst.Call, source: Source) -> Fix:
    end = source.replace(chosen, "").end - 1
    given = ", 1" if chosen.args else "1"
    return Fix("take it along dim 1", (Edit(end, end, given),), Applicability.UNSAFE)
