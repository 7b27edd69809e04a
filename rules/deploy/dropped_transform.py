"""LT171: a compiled, quantized, fused or frozen model that nothing takes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import FALSE
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT171",
    summary="a compiled, quantized, fused or frozen model that is dropped",
    why="""
        torch.compile, the steps of quantization, fuse_modules and torch.jit.freeze give another
        model, and leave the one that they are given as it was. As a statement of their own they
        do nothing, silently: what runs or is exported after them is the plain model. Those that
        take `inplace=True` change it then, and model.compile() always does. Measured on torch 2.13.

        The fix assigns the result, and so changes what the code after it works with.
    """,
    bad="""
        import torch


        def make_fast(model):
            torch.compile(model)
            return model
    """,
    good="""
        import torch


        def make_fast(model):
            model = torch.compile(model)
            return model
    """,
    proof="""
        import warnings

        warnings.simplefilter("ignore")
        assert hasattr(make_fast(torch.nn.Linear(2, 2)), "_orig_mod")
    """,
    fix=Applicability.UNSAFE,
)

QUANTIZATION = ("prepare", "prepare_qat", "convert", "quantize_dynamic", "fuse_modules")
CALLS = (
    "torch.compile",
    "torch.jit.freeze",
    "torch.jit.optimize_for_inference",
    "torch.utils.mobile_optimizer.optimize_for_mobile",
    *(
        f"{package}.{name}"
        for package in ("torch.ao.quantization", "torch.quantization")
        for name in QUANTIZATION
    ),
)


@rule.event(*CALLS)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    given = name_given(event)
    changed = given.get("inplace", event.keyword.get("inplace", FALSE)) != FALSE
    if event.open or changed or not event.positional or not source.evaluation.is_dropped(event):
        return
    call = source.call_at(event)
    model = find_model(call)
    name = source.code(model) if model is not None else "the model"
    called = source.code(call.func) if call is not None else event.name
    message = f"{event.name} gives another model, which is dropped: {name} stays as it was"
    remedy = f"write {name} = {called}({name}, …)" if model else "assign it"
    yield Hit(event, message, assign(event, model, source), remedy=remedy)


def find_model(call: cst.Call | None) -> cst.BaseExpression | None:
    """The first argument, where it is a name or an attribute."""
    first = call.args[0] if call is not None and call.args else None
    plain = first is not None and not first.star and first.keyword is None
    found = first.value if first is not None and plain else None
    return found if isinstance(found, (cst.Name, cst.Attribute)) else None


def assign(event: Called, model: cst.BaseExpression | None, source: Source) -> Fix | None:
    """`model = torch.compile(model)` for `torch.compile(model)`."""
    call = source.call_at(event)
    if model is None or call is None:
        return None
    edit = source.replace(call, f"{source.code(model)} = {source.code(call)}")
    return Fix("assign the result", (edit,), Applicability.UNSAFE)
