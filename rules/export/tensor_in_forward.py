"""LT108: a tensor made in forward on the CPU, or copied together from the items of others."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import MixedDevices, OperatorCall, SameDevice, Trace, host_reads
from lintorch.facts.dataflow.data_sizes import is_data, is_input_free
from lintorch.source import UNKNOWN, Kind, Source, literal

rule = Rule(
    __name__,
    code="LT108",
    summary="a tensor made on the CPU, or from items of others, in forward",
    why="""
        `torch.zeros(n)` without `device=` is made on the CPU, wherever the model is. Added to,
        multiplied or compared with an input on a GPU it raises, unless it has no dimension at
        all (`torch.tensor(2.0)`). Looking up rows with it (`x[torch.arange(n)]`) is fine.
        `torch.tensor([a, b])` of tensors a and b copies their numbers: `torch.export` refuses,
        the legacy exporter and jit.trace warn and keep the example's; for `torch.Tensor([a])`
        the new ONNX exporter refuses as well. `torch.stack` does what was meant. Measured on
        torch 2.13.

        Say `device=x.device`, or register a constant with `register_buffer`, which also spares
        making it at each call.
    """,
    bad="""
        import torch
        from torch import nn


        class Positions(nn.Module):
            def forward(self, x):
                return x + torch.arange(x.shape[1])
    """,
    good="""
        import torch
        from torch import nn


        class Positions(nn.Module):
            def forward(self, x):
                return x + torch.arange(x.shape[1], device=x.device)
    """,
    proof="""
        import torch

        Positions()(torch.zeros(2, 3, device="meta"))
    """,
    fix=Applicability.SAFE,
)

SIZED = frozenset(f"torch.{name}" for name in ("zeros", "ones", "rand", "randn", "full", "empty"))
RANGES = frozenset(f"torch.{name}" for name in ("arange", "linspace", "logspace", "eye"))
COPIED = {
    "torch.export": Harm.REFUSED,
    "onnx-legacy": Harm.WARNED,
    "torchscript-trace": Harm.WARNED,
    "torchscript-script": Harm.REFUSED,
}
EAGERLY = {**COPIED, "onnx": Harm.REFUSED}
COPIES = {
    "torch.tensor": COPIED,
    "torch.Tensor": EAGERLY,
    "torch.FloatTensor": EAGERLY,
    "torch.LongTensor": EAGERLY,
}
MAKERS = SIZED | RANGES | {"torch.tensor"}


@rule.source(cst.BinaryOperation, needs=tuple(sorted(name[6:] + "(" for name in MAKERS)))
def in_operation(node: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    """`x + torch.zeros(3)`, also through a name that was given nothing else."""
    if isinstance(node.operator, cst.MatrixMultiply):
        return
    for made, other in ((node.left, node.right), (node.right, node.left)):
        call = maker(made, source)
        if call is None or not is_given(other, source) or not source.in_traced_forward(node):
            continue
        if source.in_forward(call) and not has_default(call, source):
            said = (
                f"{source.code(call.func)}() makes it on the CPU, {source.code(other)} may not be"
            )
            yield Hit(made, said, fix=placed(call, made, other, source))


@rule.source(cst.Call, needs=("ensor([", "ensor((", "ensor(\n"))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`torch.tensor([a, b])` of tensors."""
    harm = COPIES.get(source.name(call.func))
    first = call.args[0].value if call.args else None
    if harm is None or not isinstance(first, (cst.List, cst.Tuple)):
        return
    if not any(is_given(element.value, source) for element in first.elements):
        return
    if source.in_traced_forward(call) and source.in_graph(call):
        said = f"{source.code(call.func)}() copies the numbers of tensors: stack them"
        yield Hit(call, said, harm=harm)


@rule.trace(MixedDevices)
def in_trace(event: MixedDevices, trace: Trace) -> Iterator[Hit]:
    there, made = list(event.there), list(event.made)
    short = event.operator.rpartition(".")[2].strip("_")
    where = "" if event.row == event.site.row else f" in line {event.row}"
    said = f"a tensor of shape {made}, made on the CPU{where}"
    yield Hit(event, f"with the model on a GPU {short} of {there} and {said}, raises")


@rule.trace(SameDevice)
def in_run(event: SameDevice, trace: Trace) -> Iterator[Refuted]:
    if "ensor(" not in host_reads.source_line(event.site):
        yield Refuted(event, "what is made on the CPU here meets only what is on the CPU, too")


@rule.trace("torch.tensor")
def in_copy(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: `torch.tensor(x)` of one tensor is another matter."""
    if event.inputs:
        message = f"the numbers of {len(event.inputs)} tensors were copied here"
        yield Hit(event, message, severity=Severity.NOTE, confirms=True)


def maker(node: cst.BaseExpression, source: Source) -> cst.Call | None:
    """The call that makes a tensor with dimensions on no device in particular."""
    if isinstance(node, cst.Name):
        given = source.classes.assigned(node)
        call = given[0] if len(given) == 1 else None
    else:
        call = node
    if not isinstance(call, cst.Call) or source.name(call.func) not in MAKERS:
        return None
    given_to = source.arguments(call, "size")
    if not given_to.complete or {"device", "out"} & set(given_to.by_name):
        return None
    first = call.args[0].value if call.args else None
    return call if first is not None and has_dimensions(call, first, source) else None


def has_dimensions(call: cst.Call, first: cst.BaseExpression, source: Source) -> bool:
    """Not `torch.tensor(2.0)`, `torch.zeros(())`; a shape that is not written out is unknown."""
    name = source.name(call.func)
    if name == "torch.tensor":
        return isinstance(first, cst.List)
    if name in RANGES:
        return True
    value = source.value(first)
    if value.kind in (Kind.SIZE, Kind.NUMBER):
        return True
    return isinstance(first, (cst.Tuple, cst.List)) and literal(first) not in ((), [])


def is_given(node: cst.BaseExpression, source: Source) -> bool:
    """Whether a tensor is neither made on the spot as well nor taken to the CPU."""
    value = source.value(node)
    if not value.is_tensor or not is_data(value) or is_input_free(node, source):
        return False
    held = [node, *(source.classes.assigned(node) if isinstance(node, cst.Name) else ())]
    return not any(".cpu()" in source.code(part) for part in held)


def has_default(call: cst.Call, source: Source) -> bool:
    """Whether a `with torch.device(...)` stands around."""
    return any(
        isinstance(outer, cst.With)
        and any("device" in source.code(item.item) for item in outer.items)
        for outer in source.ancestors(call)
    )


def placed(
    call: cst.Call, made: cst.BaseExpression, other: cst.BaseExpression, source: Source
) -> Fix | None:
    """`device=x.device`, where both stand in one expression and x is a name."""
    if made is not call or not isinstance(other, cst.Name) or literal(other) is not UNKNOWN:
        return None
    text = f"device={other.value}.device"
    return Fix(f"say {text}", (source.insert_argument(call, text),))
