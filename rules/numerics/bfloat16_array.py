"""LT825: a bfloat16 tensor that is made an array."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import External, Tensor, Value
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT825",
    summary="numpy() of a bfloat16 tensor",
    why="""
        NumPy has no bfloat16: `numpy()` of such a tensor raises "Got unsupported ScalarType BFloat16". What a
        model gives under autocast in bfloat16 is one. `.float()` ahead of it is exact. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def encode(model, x):
            with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
                features = torch.nn.functional.linear(x, model.weight)
            return features.cpu().numpy()
    """,
    good="""
        import torch


        def encode(model, x):
            with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
                features = torch.nn.functional.linear(x, model.weight)
            return features.cpu().float().numpy()
    """,
    remedy="write .float() ahead of it",
    proof="""
        encode(torch.nn.Linear(2, 2), torch.ones(1, 2))
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
)

_KIND = External("torch.bfloat16")
_KEEPS = frozenset(
    {
        "cpu", "detach", "clone", "squeeze", "unsqueeze", "view", "reshape", "permute", "transpose",
        "contiguous", "flatten", "getitem", "resolve_conj", "resolve_neg",
    }
)  # fmt: skip
_DEEPEST = 8


@rule.event("torch.Tensor.numpy")
def in_known(event: Called, source: Source) -> Iterator[Hit]:
    held = find_operand(event)
    if held is not None and "force" not in event.keyword and is_bfloat16(held, source):
        yield Hit(event, "NumPy has no bfloat16: this raises", float_first(event, source))


@rule.event(UnknownCalled)
def in_unknown(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    """Of what is a tensor by `.to(torch.bfloat16)`."""
    if event.method == "numpy" and is_bfloat16(event.held, source):
        yield Hit(event, "NumPy has no bfloat16: this raises", float_first(event, source))


def is_bfloat16(value: Value, source: Source) -> bool:
    """Whether it surely is: by its type, by autocast, or by what was asked last."""
    ways, evaluation = source.evaluation.ways, source.evaluation
    for _ in range(_DEEPEST):
        if evaluation.find_half(value):
            return evaluation.find_half(value) == "bfloat16"
        if isinstance(value, Tensor) and value.dtype is not None:
            return value.dtype == "bfloat16"
        called = ways.find_unknown_maker(value)
        event = called or ways.find_maker(value)
        if called is not None and called.method in ("to", "type", "bfloat16"):
            given = (*called.given.positional, *called.given.keyword.values())
            return called.method == "bfloat16" or _KIND in given
        inner = find_operand(event) if event and name_operation(event) in _KEEPS else None
        if inner is None:
            return False
        value = inner
    return False


def float_first(event: Called | UnknownCalled, source: Source) -> Fix | None:
    call = source.call_at(event)
    func = call.func if call is not None else None
    if not isinstance(func, cst.Attribute) or func.attr.value != "numpy":
        return None
    end = source.replace(func.value, "").end
    return Fix("make it float32", (Edit(end, end, ".float()"),), Applicability.SAFE)
