"""LT809: a comparison with NaN, which equals nothing, not even itself."""

from __future__ import annotations

import math
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Compared
from lintorch.evaluator.values import Constant, External, Tensor, Value
from lintorch.source import Source, literal

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
    proof="""
        assert broken(torch.tensor([float("nan")]))
    """,
    fix=Applicability.UNSAFE,
)

NANS = frozenset(
    ("math.nan", "numpy.nan", "numpy.NaN", "numpy.NAN", "torch.nan", "cmath.nan", "torch.math.nan")
)
ANSWERS = {"==": "False", "!=": "True"}
IDENTITY = {cst.Is: "False", cst.IsNot: "True"}


@rule.source(cst.Comparison, needs=("nan", "NaN", "NAN"))
def in_identity(node: cst.Comparison, source: Source) -> Iterator[Hit]:
    """`x is nan`."""
    if len(node.comparisons) != 1:
        return
    operator, other = node.comparisons[0].operator, node.comparisons[0].comparator
    nan = next((n for n in (other, node.left) if is_nan(n, source)), None)
    if type(operator) not in IDENTITY or nan is None:
        return
    asked = node.left if nan is other else other
    if literal(asked) is not None and not is_sentinel(asked, source):
        answer = IDENTITY[type(operator)]
        message = f"a NaN that was worked out is another object: this is always {answer}"
        yield Hit(node, message, asks(node, asked, answer, source))


@rule.event(Compared)
def in_comparison(event: Compared, source: Source) -> Iterator[Hit]:
    """`x == missing`, where that is NaN by whatever way."""
    answer = ANSWERS.get(event.operator)
    sides = event.left, event.right
    if answer is None or not any(is_known_nan(each, source) for each in sides):
        return
    node, fix = source.node_at(event, cst.Comparison), None
    if node is not None and len(node.comparisons) == 1:
        swapped = is_known_nan(event.left, source)
        asked = node.comparisons[0].comparator if swapped else node.left
        fix = asks(node, asked, answer, source)
    yield Hit(event, f"nothing equals NaN: this is always {answer}", fix)


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


def is_nan(node: cst.BaseExpression, source: Source) -> bool:
    """`float("nan")`, `np.nan`, `math.nan`, `torch.tensor(float("nan"))`."""
    if not isinstance(node, cst.Call):
        return source.name(node) in NANS
    name = source.name(node.func)
    if len(node.args) != 1:
        return False
    if name == "torch.tensor":
        return is_nan(node.args[0].value, source)
    text = literal(node.args[0].value)
    return name == "float" and isinstance(text, str) and text.strip().lower().lstrip("+-") == "nan"


def is_sentinel(node: cst.BaseExpression, source: Source) -> bool:
    """A parameter or key that is compared by `is` with the very NaN that is its default."""
    value = source.value(node)
    return not (value.is_tensor and value.sure)


def asks(
    node: cst.Comparison, asked: cst.BaseExpression, answer: str, source: Source
) -> Fix | None:
    """`torch.isnan(x)` of what is surely a tensor."""
    isnan = source.spell("torch.isnan", node)
    if not isnan or not source.value(asked).is_tensor or not source.value(asked).sure:
        return None
    text = f"{isnan}({source.code(asked)})"
    edit = source.replace(node, text if answer == "False" else f"~{text}")
    return Fix("ask isnan", (edit,), Applicability.UNSAFE)
