"""LT107: a function of NumPy, SciPy, OpenCV or PIL that is given a tensor in forward."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import (
    BakedKind,
    BakedValue,
    GraphCapture,
    TensorRead,
    TensorUse,
    Trace,
    Tracer,
    host_reads,
)
from lintorch.facts.dataflow.data_sizes import is_data, is_input_free
from lintorch.source import Kind, Source

rule = Rule(
    __name__,
    code="LT107",
    summary="NumPy, SciPy, OpenCV or PIL on a tensor in forward",
    why="""
        These libraries work on the numbers, which a graph does not have. `torch.export` refuses
        a tensor that turns into an array; the legacy exporter and jit.trace warn and keep the
        array of the example; jit.script refuses. The new ONNX exporter tries again with dynamo,
        which follows plain NumPy in most cases. On a GPU, or with a
        tensor that needs a gradient, it raises without any export. NumPy on sizes and constants
        is not
        meant. Measured with NumPy on torch 2.13; the other libraries take the tensor as an array
        all the same.

        Use the function of torch of the same name.
    """,
    bad="""
        import numpy as np
        import torch
        from torch import nn


        class Wave(nn.Module):
            def forward(self, x):
                return x + torch.as_tensor(np.sin(torch.relu(x)))
    """,
    good="""
        import torch
        from torch import nn


        class Wave(nn.Module):
            def forward(self, x):
                return x + torch.sin(torch.relu(x))
    """,
    proof="""
        import torch

        torch.export.export(Wave(), (torch.ones(2, 3),))
    """,
    severity=Severity.ERROR,
)

NUMPY = {
    "torch.export": Harm.REFUSED,
    "onnx-legacy": Harm.WARNED,
    "torchscript-trace": Harm.WARNED,
    "torchscript-script": Harm.REFUSED,
}
LIBRARIES = ("scipy.", "cv2.", "PIL.", "skimage.", "sklearn.")
LOOKS = frozenset({"numpy.shape", "numpy.ndim", "numpy.isscalar", "numpy.dtype", "numpy.random"})


@rule.source(cst.Call, needs=("numpy", "scipy", "cv2", "PIL", "skimage", "sklearn"))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    numpy = name.startswith("numpy.") and name not in LOOKS
    if not numpy and not name.startswith(LIBRARIES):
        return
    given = next((arg.value for arg in call.args if takes(arg.value, numpy, source)), None)
    if given is None or not source.in_traced_forward(call) or not source.in_graph(call):
        return
    said = f"{source.code(call.func)}() is given the tensor {source.code(given)}"
    yield Hit(call, said, harm=NUMPY)


@rule.trace(BakedKind.ARRAY)
def in_trace(event: BakedValue, trace: Trace) -> Iterator[Hit]:
    message = f"on other values with the array of the example, {event.change}"
    yield Hit(event, message, harm=NUMPY)


@rule.trace(TensorUse.NUMPY, TensorUse.ARRAY)
def in_reading(event: TensorRead, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: of `x.numpy()` another rule tells."""
    message = f"a tensor of shape {host_reads.write_shapes(event.inputs)} was made an array here"
    yield Hit(event, message, severity=Severity.NOTE, confirms=True)


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    reason = "the line ran, and no tensor was made an array: the model reads no data at all"
    yield from (Refuted(site, reason) for site in host_reads.find_unread_lines(trace))


def takes(given: cst.BaseExpression, numpy: bool, source: Source) -> bool:
    """A tensor, or, of other libraries than NumPy, an array read from one; NumPy's arrays are told of
    where they are read."""
    value = source.value(given)
    if value.kind is Kind.NDARRAY:
        return not numpy and bool(value.roots)
    known = value.is_tensor and is_data(value) and not is_input_free(given, source)
    return known and not may_be_array(given, source)


def may_be_array(given: cst.BaseExpression, source: Source) -> bool:
    """Whether a helper does not say what its parameters are: an array has a shape and dtype too."""
    function = source.enclosing(given, cst.FunctionDef)
    params = function.params.params if function else ()
    named = bool(params) and params[0].name.value in ("self", "cls")
    return not named and not any(
        p.annotation and "Tensor" in source.code(p.annotation.annotation) for p in params
    )
