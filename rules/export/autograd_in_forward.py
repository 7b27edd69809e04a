"""LT115: what belongs to autograd in a forward pass that is exported: gradients, `.data`, custom functions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import (
    BakedKind,
    BakedValue,
    GraphCapture,
    OperatorCall,
    Trace,
    Tracer,
    host_reads,
)
from lintorch.facts.dataflow.memory_writes import is_write_method
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT115",
    summary="autograd or .data in an exported forward",
    why="""
        `.data` takes a tensor out of what tracers see: torch.export and the new ONNX exporter
        refuse it ("a fake tensor in the constant's list"), the legacy exporter and jit.trace
        bake the numbers of the example input and say nothing. `detach()` is right under all.
        Reading `.data` of a weight is only refused.

        Gradients taken in forward (`autograd.grad`, `backward`) are exported by torch.export and
        the new exporter; the legacy exporter and jit.trace bake the gradient of the example.
        The compiler of TorchScript refuses them, as it does hooks with a lambda, checkpoint and
        custom autograd functions, which the others export. checkpoint with use_reentrant=True,
        its default, around layers with weights stops the legacy exporter and jit.trace as well
        ("unordered_map::at"); with use_reentrant=False they export it. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn


        class Quantizer(nn.Module):
            def forward(self, x):
                error = x.round() - x
                return x + error.data
    """,
    good="""
        from torch import nn


        class Quantizer(nn.Module):
            def forward(self, x):
                error = x.round() - x
                return x + error.detach()
    """,
    proof="""
        x = torch.randn(2, 3)
        exported = torch.export.export(Quantizer(), (x,)).module()
        assert torch.equal(exported(-x), Quantizer()(-x))
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
)

HIDDEN = {
    "torch.export": Harm.REFUSED,
    "onnx": Harm.REFUSED,
    "onnx-legacy": Harm.SILENT,
    "torchscript-trace": Harm.SILENT,
}
HIDDEN_WEIGHT = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
BAKED = {
    "onnx-legacy": Harm.SILENT,
    "torchscript-trace": Harm.SILENT,
    "torchscript-script": Harm.REFUSED,
}
UNSCRIPTED = {"torchscript-script": Harm.REFUSED}
REENTRANT = {
    "onnx-legacy": Harm.REFUSED,
    "torchscript-trace": Harm.REFUSED,
    "torchscript-script": Harm.REFUSED,
}
GRADIENTS = ("torch.autograd.grad", "torch.autograd.backward")
DATA = "torch.Tensor.data.__get__"
OTHER = re.compile(r"grad|backward|checkpoint")
"""What else of autograd a line may hold."""
CHECKPOINTS = ("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential")
TENSOR = re.compile(r"^(x\d?|inputs?|images?|imgs?|features?|feats?|hidden_states?)$")
SIZES = frozenset(
    {"size", "shape", "dim", "ndim", "dtype", "device", "ndimension", "numel", "type", "new"}
)
"""What is asked of `.data` and has no numbers in it; sizes read so are another rule's."""

COPIES = frozenset(
    {"max", "min", "sum", "mean", "std", "norm", "abs", "exp", "sqrt", "item", "clone", "argmax"}
)
"""Methods of a tensor whose result has memory of its own."""


@rule.source(cst.Attribute, needs=(".data",))
def in_data(node: cst.Attribute, source: Source) -> Iterator[Hit]:
    if node.attr.value != "data" or not source.in_traced_forward(node):
        return
    read = is_tensor(node.value, source) and is_read(node, source) and source.in_graph(node)
    if read and not trains(node, source):
        promise = Applicability.UNSAFE if is_kept(node, source) else Applicability.SAFE
        fix = Fix("detach", (source.replace(node.attr, "detach()"),), promise)
        harm = HIDDEN_WEIGHT if of_weight(node.value, source) else HIDDEN
        yield Hit(node, f"{source.code(node)}: no tracer sees what comes of it", fix, harm)


@rule.source(cst.Call, needs=("autograd", "backward", "checkpoint"))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    backward = (
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value == "backward"
        and not name
        and source.value(call.func.value).is_tensor
    )
    if not (name in (*GRADIENTS, *CHECKPOINTS) or backward) or not source.in_traced_forward(call):
        return
    if name in CHECKPOINTS:
        reentrant = is_reentrant(call, source)
        told = "with use_reentrant=True" if reentrant else "takes any number of arguments"
        harm = REENTRANT if reentrant else UNSCRIPTED
        yield Hit(call, f"checkpoint {told}", harm=harm)
    elif not trains(call, source):
        yield Hit(call, "a gradient taken in forward is that of the example", harm=BAKED)


@rule.trace(BakedKind.DATA, BakedKind.GRADIENT)
def in_trace(event: BakedValue, trace: Trace) -> Iterator[Hit]:
    what, harm = (".data", HIDDEN) if event.what is BakedKind.DATA else ("gradient", BAKED)
    message = f"on other values with the {what} of the example, {event.change}"
    yield Hit(event, message, harm=harm)


@rule.trace(DATA, *GRADIENTS)
def in_reading(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: what is read of a weight, or only to look at its size."""
    yield Hit(event, host_reads.describe_call(event), severity=Severity.NOTE, confirms=True)


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    read = {(e.site.path, e.site.row) for run in trace.runs for e in run.events if e.key == DATA}
    for site in host_reads.find_whole_lines(trace):
        text = host_reads.source_line(site)
        if ".data" in text and not OTHER.search(text) and (site.path, site.row) not in read:
            yield Refuted(site, "the line ran, and this .data was asked of no tensor")


def is_kept(node: cst.Attribute, source: Source) -> bool:
    """Whether a name is given the memory itself: what is written to it, detach() would tell of."""
    inner: cst.CSTNode = node
    while isinstance(outer := source.parent(inner), (cst.Subscript, cst.Attribute, cst.Call)):
        if isinstance(outer, cst.Attribute) and outer.attr.value in COPIES:
            return False
        if isinstance(outer, cst.Call) and outer.func is not inner:
            return False
        inner = outer
    return isinstance(outer, (cst.Assign, cst.AnnAssign, cst.NamedExpr, cst.Return))


def trains(node: cst.CSTNode, source: Source) -> bool:
    """Whether the function around a node steps an optimizer: it is no forward pass then."""
    function = source.enclosing(node, cst.FunctionDef)
    return function is not None and "zero_grad(" in source.code(function)


def is_reentrant(call: cst.Call, source: Source) -> bool:
    """Whether a checkpoint is surely of the older kind, around more than a function of torch."""
    given = source.arguments(call, "function")
    function, flag = given.get("function"), given.value("use_reentrant", True)
    named = source.name(function) if function is not None else "torch."
    return flag is True and not named.startswith("torch.")


def is_tensor(owner: cst.BaseExpression, source: Source) -> bool:
    """Whether `.data` is asked of a tensor, not of a batch object that was handed in."""
    value = source.value(owner)
    named = not isinstance(owner, cst.Name) or bool(TENSOR.match(owner.value))
    return value.is_tensor and (value.sure or not value.roots or named)


def is_read(node: cst.Attribute, source: Source) -> bool:
    """Whether the numbers are read: nothing is written to, and not only a size is asked for."""
    inner: cst.CSTNode = node
    while isinstance(outer := source.parent(inner), (cst.Subscript, cst.Attribute)):
        if isinstance(outer, cst.Attribute):
            call = source.parent(outer)
            called = isinstance(call, cst.Call) and call.func is outer
            return outer.attr.value not in SIZES and not (
                called and is_write_method(outer.attr.value)
            )
        inner = outer
    return not isinstance(outer, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.Del))


def of_weight(owner: cst.BaseExpression, source: Source) -> bool:
    """`self.weight`, `self.conv.weight`: the model's own, the same at each call."""
    while isinstance(owner, (cst.Attribute, cst.Subscript)):
        owner = owner.value
    return isinstance(owner, cst.Name) and owner.value == "self"
