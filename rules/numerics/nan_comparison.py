"""LT809: a comparison with NaN, which equals nothing, not even itself."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Compared
from lintorch.evaluator.values import Constant, External, Tensor, Value
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT809",
    summary="a comparison with NaN",
    why="""
        NaN is equal to nothing. `x == float("nan")` is False, and `!=` is True, for every
        number and every element of a tensor, so the check never finds a NaN. `is` compares
        objects: a number read from a tensor is never the NaN of a library. torch.isnan asks
        what is meant. Measured on torch 2.13.

        `x != x` does find NaN and is not reported.
    """,
    bad="""
        import torch


        def broken(loss: torch.Tensor):
            return loss == float("nan")
    """,
    good="""
        import torch


        def broken(loss: torch.Tensor):
            return torch.isnan(loss)
    """,
    remedy="write torch.isnan(x) of a tensor, math.isnan(x) of a number",
    proof="""
        assert broken(torch.tensor([float("nan")]))
    """,
    fix=Applicability.UNSAFE,
)

NANS = frozenset(
    ("math.nan", "numpy.nan", "numpy.NaN", "numpy.NAN", "torch.nan", "cmath.nan", "torch.math.nan")
)
ANSWERS = {"==": "False", "!=": "True"}
IDENTITY = {"is": "False", "is not": "True"}


@rule.event(Compared)
def in_comparison(event: Compared, source: Source) -> Iterator[Hit]:
    """`x == missing`, where that is NaN by whatever way."""
    answer = (ANSWERS | IDENTITY).get(event.operator)
    swapped = answer is not None and is_known_nan(event.left, source)
    if answer is None or not (swapped or is_known_nan(event.right, source)):
        return
    if asks_itself(event.node):
        return
    asked = event.right if swapped else event.left
    if event.operator in IDENTITY and not is_worked_out(asked):
        return
    why = "a NaN that was worked out is another object" if event.operator in IDENTITY else ""
    message = f"{why or 'nothing equals NaN'}: this is always {answer}"
    yield Hit(event, message, ask_isnan(event, asked, swapped, source))


def asks_itself(node: ast.AST) -> bool:
    """`x == x`, which is how one asks whether it is no NaN."""
    return isinstance(node, ast.Compare) and ast.dump(node.left) == ast.dump(node.comparators[0])


def is_worked_out(value: Value) -> bool:
    """Whether it is no sentinel: a default that is compared with the very NaN that it is."""
    return isinstance(value, Tensor) and value.sure


def is_known_nan(value: Value, source: Source) -> bool:
    """Whether it is NaN, or a tensor of nothing but NaN."""
    if isinstance(value, External):
        return value.path in NANS
    if isinstance(value, Tensor):
        made = source.evaluation.ways.find_maker(value)
        if not isinstance(made, Called) or made.name != "torch.tensor" or not made.positional:
            return False
        return is_known_nan(made.positional[0], source)
    number = value.value if isinstance(value, Constant) else None
    return isinstance(number, float) and math.isnan(number)


def ask_isnan(event: Compared, asked: Value, swapped: bool, source: Source) -> Fix | None:
    """`torch.isnan(x)` of what is surely a tensor."""
    node = source.node_at(event, cst.Comparison)
    if node is None or len(node.comparisons) != 1 or not is_worked_out(asked):
        return None
    isnan = source.spell("torch.isnan", node)
    if not isnan:
        return None
    text = f"{isnan}({source.code(node.comparisons[0].comparator if swapped else node.left)})"
    edit = source.replace(node, text if event.operator in ("==", "is") else f"~{text}")
    return Fix("ask isnan", (edit,), Applicability.UNSAFE)
