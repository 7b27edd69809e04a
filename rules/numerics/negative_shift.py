"""LT807: a tensor shifted by a negative number of bits, or by more than it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT807",
    summary="a tensor shifted by a negative number of bits",
    why="""
        Python raises where an int is shifted by a negative number. torch does not: on a tensor
        the result is 0, or -1 for a negative number shifted to the right, and so it is where
        the shift is 64 or more. A negative shift does not turn into one the other way. Measured
        on torch 2.13, CPU.
    """,
    bad="""
        import torch


        def quarter(codes: torch.Tensor):
            return codes << -2
    """,
    good="""
        import torch


        def quarter(codes: torch.Tensor):
            return codes >> 2
    """,
    proof="""
        assert quarter(torch.tensor([8, 16])).tolist() == [2, 4]
    """,
)

OPERATORS = {
    cst.LeftShift: "<<", cst.RightShift: ">>",
    cst.LeftShiftAssign: "<<=", cst.RightShiftAssign: ">>=",
}  # fmt: skip
FUNCTIONS = ("bitwise_left_shift", "bitwise_right_shift")
BITS = 64


@rule.source(cst.BinaryOperation, cst.AugAssign, needs=("<<", ">>"))
def in_operator(node: Any, source: Source) -> Iterator[Hit]:
    sign = OPERATORS.get(type(node.operator))
    if sign is None:
        return
    binary = isinstance(node, cst.BinaryOperation)
    tensor, count = (node.left, node.right) if binary else (node.target, node.value)
    if source.value(tensor).is_tensor:
        yield from told(node, sign, literal(count))


@rule.source(cst.Call, needs=FUNCTIONS)
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    func = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    if name.removeprefix("torch.") in FUNCTIONS:
        yield from told(call, name, source.arguments(call, "input", "other").value("other"))
    elif (
        isinstance(call.func, cst.Attribute)
        and not name
        and func in FUNCTIONS
        and source.value(call.func.value).is_tensor
    ):
        yield from told(call, func, source.arguments(call, "other").value("other"))


def told(node: cst.CSTNode, sign: str, count: Any) -> Iterator[Hit]:
    if type(count) is int and not 0 <= count < BITS:
        yield Hit(node, f"{sign} {count} on a tensor leaves no bit, and does not raise")
