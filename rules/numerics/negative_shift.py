"""LT807: a tensor shifted by a negative number of bits, or by more than it has."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Occurrence
from lintorch.evaluator.values import Constant, Tensor, Value
from lintorch.source import Source

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
    remedy="shift by 0 to 31, or 63 where the tensor is int64",
    proof="""
        assert quarter(torch.tensor([8, 16])).tolist() == [2, 4]
    """,
)

OPERATORS = {"LShift": "<<", "RShift": ">>"}
FUNCTIONS = ("bitwise_left_shift", "bitwise_right_shift")
BITS = 64


@rule.event(Combined)
def in_operator(event: Combined, source: Source) -> Iterator[Hit]:
    sign = OPERATORS.get(event.operator)
    if sign is not None and isinstance(event.left, Tensor):
        yield from report_count(event, sign + "=" * event.inplace, event.right)


@rule.event(*(f"{home}.{name}" for home in ("torch", "torch.Tensor") for name in FUNCTIONS))
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    name = event.name.removeprefix("torch.Tensor.")
    yield from report_count(event, name, event.arguments.get("other"))


def report_count(event: Occurrence, sign: str, given: Value | None) -> Iterator[Hit]:
    count = given.value if isinstance(given, Constant) else None
    if type(count) is int and not 0 <= count < BITS:
        yield Hit(event, f"{sign} {count} on a tensor leaves no bit, and does not raise")
