"""LT107: a function of NumPy, SciPy, OpenCV or PIL that is given a tensor in forward."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Array, Items, Tensor, Value
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
from lintorch.source import Source

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

        Use the function of torch of the same name. The fix does so for functions that work item
        by item (`np.exp`, `np.maximum`), of tensors of floats.
    """,
    bad="""
        import numpy as np
        import torch
        from torch import nn


        class Wave(nn.Module):
            def forward(self, x):
                return x / np.pi + torch.as_tensor(np.sin(torch.relu(x)))
    """,
    good="""
        import numpy as np
        import torch
        from torch import nn


        class Wave(nn.Module):
            def forward(self, x):
                return x / np.pi + torch.sin(torch.relu(x))
    """,
    remedy="write it with functions of torch, or do it before the model is called",
    proof="""
        import torch

        torch.export.export(Wave(), (torch.ones(2, 3),))
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

NUMPY = {
    "torch.export": Harm.REFUSED,
    "onnx-legacy": Harm.WARNED,
    "torchscript-trace": Harm.WARNED,
    "torchscript-script": Harm.REFUSED,
}
LIBRARIES = ("scipy.", "cv2.", "PIL.", "skimage.", "sklearn.")
SAME_IN_TORCH = frozenset(
    [
        "abs",
        "argmax",
        "argmin",
        "argsort",
        "ceil",
        "clip",
        "concatenate",
        "cos",
        "cumsum",
        "diff",
        "einsum",
        "exp",
        "exp2",
        "expm1",
        "flip",
        "floor",
        "isfinite",
        "isinf",
        "isnan",
        "log",
        "log10",
        "log1p",
        "log2",
        "matmul",
        "maximum",
        "mean",
        "minimum",
        "prod",
        "round",
        "sign",
        "sin",
        "sinh",
        "sqrt",
        "square",
        "stack",
        "sum",
        "tan",
        "tanh",
        "tril",
        "triu",
        "where",
    ]
)
ITEMWISE = {
    **dict.fromkeys(
        (
            "abs", "ceil", "cos", "cosh", "exp", "exp2", "expm1", "floor", "isfinite", "isinf",
            "isnan", "log", "log10", "log1p", "log2", "sign", "sin", "sinh", "sqrt", "square",
            "tan", "tanh",
        ),
        1,
    ),
    "maximum": 2,
    "minimum": 2,
}  # fmt: skip
"""Functions that do the same in torch, by the number of tensors that they take."""
LOOKS = frozenset({"numpy.shape", "numpy.ndim", "numpy.isscalar", "numpy.dtype", "numpy.random"})
TELLS = frozenset({"print", "repr", "str", "format"})


HIDDEN_READ = re.compile(r"\.data(\.\w+\(\))*\.numpy\(\)")


@rule.event(Called)
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    if not event.name.startswith(("numpy.", *LIBRARIES)) or not event.way.forward:
        return
    numpy = event.name.startswith("numpy.")
    given = (*event.positional, *event.keyword.values())
    if event.name in LOOKS or not any(takes(each, numpy) for each in given):
        return
    if not numpy and HIDDEN_READ.search(ast.unparse(event.node)):
        return  # of y.data another rule tells
    if not source.evaluation.is_dropped(event) and not only_tells(event, source):
        written = ast.unparse(event.node.func) if isinstance(event.node, ast.Call) else event.name
        said, short = f"{written}() is given {name_given(event, numpy)}", event.name[6:]
        remedy = f"write torch.{short}()" if numpy and short in SAME_IN_TORCH else None
        yield Hit(event, said, fix=write_in_torch(event, short, source), harm=NUMPY, remedy=remedy)


def write_in_torch(event: Called, short: str, source: Source) -> Fix | None:
    """`torch.exp(x)` for `np.exp(x)`, of a tensor of floats."""
    call, given = source.call_at(event), event.positional
    wanted = ITEMWISE.get(short, 0)
    if call is None or len(given) != wanted or len(call.args) != wanted or event.keyword:
        return None
    floats = [isinstance(v, Tensor) and v.sure and is_float(v) for v in given]
    name, edits = source.reach(f"torch.{short}", call)
    if not all(floats) or not wanted or any(arg.star for arg in call.args) or not name:
        return None
    told, outer = f"write {name}()", source.enclosing(call, cst.Call)
    made = outer is not None and source.name(outer.func) == "torch.as_tensor"
    if outer is None or not made or len(outer.args) != 1 or outer.args[0].value is not call:
        return Fix(told, (source.replace(call.func, name), *edits), Applicability.UNSAFE)
    texts = ", ".join(source.code(arg.value) for arg in call.args)
    whole = source.replace(outer, f"{name}({texts})")
    return Fix(told, (whole, *edits), Applicability.UNSAFE)


def is_float(tensor: Tensor) -> bool:
    """Of whole numbers NumPy makes float64, and torch float32."""
    return tensor.dtype is None or "float" in tensor.dtype


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


def takes(given: Value, numpy: bool) -> bool:
    """A tensor, or, of other libraries than NumPy, an array read from one; NumPy's arrays are told of
    where they are read."""
    if isinstance(given, Items):
        return any(takes(each, numpy) for each in given.items or ())
    if isinstance(given, Array):
        return not numpy and bool(given.via)
    return isinstance(given, Tensor) and given.data is True


def name_given(event: Called, numpy: bool) -> str:
    """The tensor as it is written."""
    written = event.node.args if isinstance(event.node, ast.Call) else ()
    whole = len(written) == len(event.positional)
    for node, value in zip(written, event.positional, strict=False):
        if whole and takes(value, numpy):
            return f"the tensor {ast.unparse(node)}"
    return "a tensor"


def only_tells(event: Called, source: Source) -> bool:
    """`print(np.mean(x))`."""
    users = source.evaluation.ways.find_users(event.result)
    return bool(users) and all(isinstance(each, Called) and each.name in TELLS for each in users)
