"""LT827: stft without return_complex, or istft of real numbers."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import NONE, Tensor, Value
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.models.operation_steps import MOVES, find_operand, name_operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT827",
    summary="stft without return_complex, or istft of real numbers",
    why="""
        Since torch 2.0 stft of real numbers raises RuntimeError where return_complex is not given,
        and istft raises at pairs of real numbers, as stft gave them before. What was written for
        torch 1 goes on with `torch.view_as_real(torch.stft(…, return_complex=True))`, and with
        `torch.view_as_complex` ahead of istft. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def spectrum(wave):
            return torch.stft(wave, 64, 16, window=torch.hann_window(64))
    """,
    good="""
        import torch


        def spectrum(wave):
            return torch.view_as_real(torch.stft(wave, 64, 16, window=torch.hann_window(64), return_complex=True))
    """,
    remedy="pass return_complex=True; torch.view_as_real gives the pairs that it gave before",
    proof="""
        assert spectrum(torch.randn(256)).shape == (33, 17, 2)
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

FIRST = (2, 0)
GIVES_REAL = frozenset({"view_as_real", "relu", "conv1d", "conv2d", "conv3d", "batchnorm2d"})
REAL = frozenset({"float16", "bfloat16", "float32", "float64"})


@rule.event("torch.stft", "torch.Tensor.stft")
def in_stft(event: Called, source: Source) -> Iterator[Hit]:
    asked = event.arguments.get("return_complex")
    given = (event.arguments.get("input"), event.arguments.get("window"))
    if source.profile.torch < FIRST or event.open or asked not in (None, NONE):
        return
    if any(map(may_be_complex, given)) or is_tentative(source.call_at(event), source):
        return
    said = "stft of real numbers asks for return_complex: RuntimeError"
    yield Hit(event, said, keep_pairs(event, source))


@rule.event("torch.istft", "torch.Tensor.istft")
def in_istft(event: Called, source: Source) -> Iterator[Hit]:
    given = event.arguments.get("input")
    if source.profile.torch < FIRST or given is None or not is_real(given, source):
        return
    if not is_tentative(source.call_at(event), source):
        said = "istft takes complex numbers alone: RuntimeError"
        yield Hit(event, said, remedy="write torch.view_as_complex(x.contiguous()) of pairs")


def is_real(value: Value | None, source: Source) -> bool:
    """Whether it is of a real type, or what gives real numbers made it."""
    made = source.evaluation.ways.find_maker(value)
    while made is not None and name_operation(made) in MOVES and not is_of_type(value):
        value = find_operand(made)
        made = source.evaluation.ways.find_maker(value)
    if is_of_type(value):
        return isinstance(value, Tensor) and value.sure and value.dtype in REAL
    name = made.name.removesuffix(".forward") if isinstance(made, Called) else ""
    return name.rpartition(".")[2].lower() in GIVES_REAL


def is_of_type(value: Value | None) -> bool:
    return isinstance(value, Tensor) and value.dtype is not None


def may_be_complex(value: Value | None) -> bool:
    """Whether a tensor says that it is."""
    return isinstance(value, Tensor) and (value.dtype or "").startswith("complex")


def keep_pairs(event: Called, source: Source) -> Fix | None:
    """`torch.view_as_real(torch.stft(…, return_complex=True))`, which gives what torch 1 gave."""
    call = source.call_at(event)
    func = call.func if call is not None else None
    if call is None or not isinstance(func, cst.Attribute) or source.name(func) != "torch.stft":
        return None
    torch, whole = source.code(func.value), source.replace(call, "")
    flag = source.insert_argument(call, "return_complex=True")
    around = (
        Edit(whole.start, whole.start, f"{torch}.view_as_real("),
        Edit(whole.end, whole.end, ")"),
    )
    return Fix("ask for pairs", (around[0], flag, around[1]), Applicability.UNSAFE)
