"""LT821: the arc cosine of a number that rounding takes past 1."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Indexed
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Constant, Items, Tensor, Value
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.facts.models.value_ways import Operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT821",
    summary="an arc cosine of a number past 1",
    why="""
        A cosine that is worked out of products comes out a little over 1 where two directions are the
        same, and acos is NaN there; at 1 its slope is infinite. Measured on torch 2.13: of 10,000 random
        vectors, the cosine_similarity of each with its own double is over 1 for 22 in 100, and the angle
        of a rotation to itself, by the trace, is NaN for 25 in 100. Clamp it to a little less than 1,
        or take atan2 of the sine and the cosine, which is exact for small angles too.
    """,
    bad="""
        import torch
        import torch.nn.functional as F


        def angle(one, other):
            return torch.acos(F.cosine_similarity(one, other, dim=-1))
    """,
    good="""
        import torch
        import torch.nn.functional as F


        def angle(one, other):
            cosine = F.cosine_similarity(one, other, dim=-1)
            return torch.acos(cosine.clamp(-1 + 1e-7, 1 - 1e-7))
    """,
    proof="""
        torch.manual_seed(0)
        x = torch.randn(1000, 16)
        assert angle(x, 2 * x).isfinite().all()
    """,
    remedy="clamp it first: x.clamp(-1 + 1e-7, 1 - 1e-7)",
)

ARCS = tuple(
    f"{home}.{name}"
    for home in ("torch", "torch.Tensor")
    for name in ("acos", "arccos", "asin", "arcsin", "acos_", "asin_")
)
ROUNDED = frozenset(
    {
        "cosine_similarity", "cosinesimilarity", "matmul", "MatMult", "mm", "bmm", "einsum", "sum", "dot",
        "trace", "inner", "tensordot", "linear",
    }
)  # fmt: skip
"""What adds up products."""
PASSED = frozenset(
    {
        "Div", "Sub", "Add", "Mult", "div", "sub", "add", "mul", "squeeze", "unsqueeze", "view", "reshape",
        "getitem", "mean", "float", "diagonal", "transpose", "permute", "flatten", "true_divide",
    }
)  # fmt: skip
"""What leaves a number where it is, or moves it by others: no bound."""


@rule.event(*ARCS)
def in_angle(event: Called, source: Source) -> Iterator[Hit]:
    if is_shortened(event, source):
        return
    for step in source.evaluation.steps.list_steps(find_operand(event)):
        if may_be_inside(step.event):
            return
        if step.name in ROUNDED and not is_set_by_items(event, source):
            made = f"{name_operation(event).rstrip('_')} of what {step.name} gives"
            said = f"{made.replace('MatMult', 'a product')} is NaN where that is rounded past 1"
            yield Hit(event, said)
            return
        if step.name not in PASSED:
            return


def is_shortened(event: Called, source: Source) -> bool:
    """Whether vectors were divided by a little more than their length: `x / (x.norm() + 1e-5)`."""
    ways, value = source.evaluation.ways, find_operand(event)
    for each in ways.list_sources(value) if value is not None else ():
        made = ways.find_maker(each)
        if isinstance(made, Combined) and made.operator == "Div":
            by = [ways.find_maker(v) for v in ways.list_sources(made.right)]
            if any(
                isinstance(b, Combined) and b.operator == "Add" and is_little(b.right) for b in by
            ):
                return True
    return False


def is_little(value: Value) -> bool:
    """What is more than the digits that float32 has."""
    number = value.value if isinstance(value, Constant) else None
    return isinstance(number, float) and 1e-6 <= number < 0.01


def may_be_inside(made: Operation | UnknownCalled) -> bool:
    """Whether a number is drawn in a little, picked by a mask, or counted."""
    if isinstance(made, Indexed) and not isinstance(made.index, (Constant, Items)):
        return True
    if isinstance(made, Combined) and draws_in(made.operator, made.right):
        return True
    held = find_operand(made)
    dtype = held.dtype if isinstance(held, Tensor) else None
    return dtype is not None and dtype.startswith(("bool", "int", "uint"))


def is_set_by_items(event: Called, source: Source) -> bool:
    """`dots[dots > 1] = 1` of what the angle is taken of."""
    call = source.call_at(event)
    given = {source.code(arg.value) for arg in call.args} if call is not None else set()
    if call is not None and isinstance(call.func, cst.Attribute):
        given.add(source.code(call.func.value))
    here = source.enclosing(call, cst.FunctionDef) if call is not None else None
    return any(
        isinstance(each.target, cst.Subscript)
        and source.code(each.target.value) in given
        and source.enclosing(each, cst.FunctionDef) is here
        for each in source.nodes(cst.AssignTarget)
    )


def draws_in(operator: str, value: Value) -> bool:
    """`dots * (1 - eps)`, `dots - 1e-6`."""
    number = value.value if isinstance(value, Constant) else None
    if not isinstance(number, (int, float)):
        return operator == "Mult" and not isinstance(value, Tensor)
    return 0.9 < number < 1 if operator == "Mult" else 0 < abs(number) < 0.01
