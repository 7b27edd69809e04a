"""LT103: the data of a tensor read into Python, and used to compute."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import (
    GraphCapture,
    Outcome,
    SizeUse,
    TensorRead,
    TensorUse,
    Trace,
    Tracer,
    Trial,
    host_reads,
)
from lintorch.evidence.size_changes import blame_event, only_looks
from lintorch.facts.dataflow.data_sizes import is_data, is_input_free
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT103",
    summary="the data of a tensor read into Python",
    why="""
        What Python reads with `item()`, `tolist()`, `int()`, `float()` or `numpy()` is a plain
        number of the example for the legacy exporter and jit.trace: they warn, and compute with
        that number for ever. `torch.export` follows `item()` and `tolist()`, but refuses `int()`,
        `float()`, `bool()`, the functions of `math` and `numpy()` of a tensor; the new ONNX
        exporter then tries again with dynamo, which follows all of these but `math` and a
        `range()`. A `range()` over such a number is refused by both. jit.script takes all but
        `tolist()` and `numpy()`. Measured on torch 2.13.

        Stay with the tensor: a tensor of one item multiplies, compares and indexes as well as a
        number does.
    """,
    bad="""
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x):
                return x / float(x.max())
    """,
    good="""
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x):
                return x / x.max()
    """,
    proof="""
        import torch

        program = torch.export.export(Scale(), (torch.ones(2, 3),)).module()
        assert torch.equal(program(torch.full((2, 3), 4.0)), torch.ones(2, 3))
    """,
    severity=Severity.ERROR,
)

TRACED = {"onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
CONVERTED = {"torch.export": Harm.REFUSED, **TRACED}
FUNCTION = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED, **TRACED}
UNSCRIPTED = {"torchscript-script": Harm.REFUSED}
METHODS = {"item": TRACED, "tolist": {**TRACED, **UNSCRIPTED}, "numpy": {**CONVERTED, **UNSCRIPTED}}
CONVERSIONS = {
    "int": CONVERTED,
    "float": CONVERTED,
    "bool": {**dict.fromkeys(CONVERTED, Harm.REFUSED), "torchscript-trace": Harm.FAILS},
    **dict.fromkeys((f"math.{name}" for name in ("sqrt", "exp", "log", "ceil")), FUNCTION),
}
TRACE_HARM = {
    TensorUse.ITEM: METHODS["item"],
    TensorUse.LIST: METHODS["tolist"],
    TensorUse.NUMPY: METHODS["numpy"],
    TensorUse.INT: CONVERTED,
    TensorUse.FLOAT: CONVERTED,
}


@rule.source(cst.Call, needs=(".item(", ".tolist(", ".numpy(", "int(", "float(", "bool(", "math."))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    read, harm = reading(call, source)
    if read is None or is_input_free(read, source):
        return
    if is_read_again(call, source) or not source.in_traced_forward(call):
        return
    if source.in_graph(call):
        if in_range(call, source):
            harm = {**FUNCTION, **UNSCRIPTED}
        elif source.name(call.func) == "int" and is_index(call, source):
            harm = FUNCTION
        said = f"{source.code(call)} is a Python number, read from the data of a tensor"
        yield Hit(call, said.replace("number", "array") if is_array(call) else said, harm=harm)


@rule.trace(*host_reads.READS, TensorUse.BOOL)
def in_trace(event: TensorRead, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: what is read to be looked at, or to raise, is not meant."""
    yield Hit(event, host_reads.describe_read(event), severity=Severity.NOTE, confirms=True)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """Not of sizes that were made a tensor: dynamic-size tells of these."""
    sizes = {event.site for event in trial.trace.find_events(SizeUse.TENSOR)}
    for event in trial.trace.find_events(*host_reads.READS):
        hit = blame_event(outcome, event, trial, TRACE_HARM[event.how])
        if hit and event.site not in sizes and not only_looks(event):
            yield hit


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    reason = "the line ran, and the model read the data of no tensor at any size tried"
    yield from (Refuted(site, reason) for site in host_reads.find_unread_lines(trace))


def reading(call: cst.Call, source: Source) -> tuple[cst.BaseExpression | None, dict[str, Harm]]:
    """What a call reads from, and what becomes of it."""
    name, func = source.name(call.func), call.func
    if name in CONVERSIONS:
        given = call.args[0].value if len(call.args) == 1 else None
        read = given is not None and is_data(source.value(given))
        return (given if read else None), CONVERSIONS[name]
    if isinstance(func, cst.Attribute) and func.attr.value in METHODS and not call.args:
        value = source.value(func.value)
        if value.is_tensor and not value.reads:
            return func.value, METHODS[func.attr.value]
    return None, {}


def is_read_again(call: cst.Call, source: Source) -> bool:
    """`x.max().item()` in `int(x.max().item())`, of which the outer call tells."""
    outer = source.parent(call)
    around = source.parent(outer) if isinstance(outer, cst.Arg) else None
    return isinstance(around, cst.Call) and source.name(around.func) in CONVERSIONS


def in_range(call: cst.Call, source: Source) -> bool:
    """`range(n.item())`."""
    return any(
        isinstance(outer, cst.Call) and source.name(outer.func) == "range"
        for outer in source.ancestors(call)
        if not isinstance(outer, cst.BaseStatement)
    )


def is_index(call: cst.Call, source: Source) -> bool:
    """`x[int(i)]`."""
    return isinstance(source.parent(call), cst.Index)


def is_array(call: cst.Call) -> bool:
    """`x.numpy()`."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "numpy"
