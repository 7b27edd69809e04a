"""LT306: a constant that float16 cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import Event, Trace
from lintorch.facts.dataflow.half_precision import is_half
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT306",
    summary="a constant that float16 cannot hold",
    why="""
        The largest float16 is 65504; below 3e-8 everything is 0. `masked_fill` and `fill_` with
        -1e9 raise, under float16 autocast too; added, it becomes -inf. An epsilon of 1e-8 is no
        epsilon: 0 / (0 + 1e-8) is NaN. bfloat16 holds both. Measured on torch 2.13.

        Reported are tensors that the function around the line makes float16 itself, and those
        that are float16 when the model runs. That a run in float32 meets none proves nothing of
        one in float16.
    """,
    bad="""
        import torch


        def hide(scores, mask):
            scores = scores.half()
            return scores.masked_fill(mask, -1e9)
    """,
    good="""
        import torch


        def hide(scores, mask):
            scores = scores.half()
            return scores.masked_fill(mask, torch.finfo(scores.dtype).min)
    """,
    proof="""
        scores = torch.ones(2)
        hide(scores, scores > 0)
    """,
    severity=Severity.WARNING,
    fix=Applicability.UNSAFE,
)

LARGEST, SMALLEST = 65504.0, 2.0**-25
FILLS = {"masked_fill": 1, "masked_fill_": 1, "fill_": 0}
"""Methods that raise, and where the value stands."""
ADDED = frozenset(
    f"torch.{kind}{name}"
    for kind, names in (
        ("", ("add", "sub")),
        ("Tensor.", ("add", "add_", "sub", "sub_", "__radd__", "__rsub__")),
    )
    for name in names
)
CLAMPED = frozenset({"torch.clamp", "torch.Tensor.clamp", "torch.Tensor.clamp_min"})


@rule.source(cst.Call, needs=("half()", "float16", "torch.half"))
def in_fill(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in FILLS:
        return
    at = FILLS[call.func.attr.value]
    names = ("mask", "value") if at else ("value",)
    given = source.arguments(call, *names).get("value")
    number = literal(given)
    if given is None or not isinstance(number, (int, float)) or not _overflows(number):
        return
    tensor = call.func.value
    if is_half(tensor, source):
        message = f"{source.code(given)} does not fit into float16: raises"
        fix = None
        if isinstance(tensor, cst.Name) and (spelled := source.spell("torch.finfo", call)):
            bound = "min" if number < 0 else "max"
            text = f"{spelled}({tensor.value}.dtype).{bound}"
            edit = source.replace(given, text)
            fix = Fix(f"take the {bound}imum of the dtype", (edit,), Applicability.UNSAFE)
        yield Hit(given, message, fix, severity=Severity.ERROR)


@rule.source(cst.BinaryOperation, needs=("half()", "float16", "torch.half"))
def in_sum(operation: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    if not isinstance(operation.operator, (cst.Add, cst.Subtract)):
        return
    for number, other in ((operation.right, operation.left), (operation.left, operation.right)):
        value = literal(number)
        if not isinstance(value, float) or not is_half(other, source):
            continue
        if 0 < abs(value) < SMALLEST:
            yield Hit(number, f"{source.code(number)} is 0 in float16: nothing is added")
        elif _overflows(value):
            yield Hit(number, f"{source.code(number)} is infinite in float16")


@rule.trace(*ADDED, *CLAMPED)
def in_trace(event: Event, trace: Trace) -> Iterator[Hit]:
    """The constant that met a float16 tensor, and no other tensor that could widen it."""
    if event.dtypes != ("float16",):
        return
    name = "other" if event.name in ADDED else "min"
    value = event.args.get(name)
    if not isinstance(value, float) or not value:
        return
    met = f"met float16 of shape {list(event.inputs[0])} in {event.name.rpartition('.')[2]}"
    if abs(value) < SMALLEST:
        yield Hit(event, f"{value} {met}, where it is 0")
    elif _overflows(value) and name == "other":
        yield Hit(event, f"{value} {met}, where it is infinite")


def _overflows(number: float) -> bool:
    return LARGEST < abs(number) < float("inf")
