"""coremltools, which turns a traced model into an ML program anywhere, and runs it on macOS alone.

Elsewhere an export ends with the package that was written: what it computes is not compared.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import torch

from lintorch.guest.export.error_reading import summarise_error
from lintorch.guest.export.exporter import (
    Explained,
    Exported,
    Job,
    explain_missing,
    save_artifact,
)
from lintorch.guest.export.exporters.traced_module import (
    find_call_stack,
    list_called,
    trace_module,
)
from lintorch.guest.export.flat_outputs import FLATTENING_SCRIPT
from lintorch.guest.process.error_text import text_of

_TIMES = 4
"""How many times its first size a size may be where nobody says what it is at most."""
_UNRUN = "converted and not run: Core ML runs on macOS alone"
_NO_FUNCTION = re.compile(r"convert function for op '(\w+)' not implemented")
_SCRIPT = """
import coremltools

traced = torch.jit.trace(model, example, check_trace=False, strict=False)
sizes = {{name: coremltools.RangeDim(1, most, default=first) for name, (first, most) in {sizes}.items()}}
shapes = [tuple(sizes.get(size, size) for size in shape) for shape in {shapes}]
converted = coremltools.convert(
    traced,
    inputs=[coremltools.TensorType(shape=shape) for shape in shapes],
    convert_to="mlprogram",
    compute_precision=coremltools.precision.FLOAT32,
    skip_model_load=sys.platform != "darwin",
)


def exported(*given):
    if sys.platform != "darwin":
        sys.exit("converted; Core ML runs on macOS alone")
    names = [each.name for each in converted.get_spec().description.input]
    found = converted.predict(dict(zip(names, [t.numpy() for t in tensors(given)])))
    order = [each.name for each in converted.get_spec().description.output]
    return [torch.as_tensor(found[name]) for name in order]

"""


def available() -> str:
    """How to install coremltools."""
    return explain_missing("coremltools", extra="coreml")


def export(job: Job) -> Exported:
    """Traces, and converts in full precision with the named sizes as ranges."""
    import coremltools

    ranges = {n: coremltools.RangeDim(1, most, default=at) for n, (at, most) in _bound(job).items()}
    shapes = [tuple(ranges.get(size, size) for size in shape) for shape in _name_shapes(job)]
    converted = coremltools.convert(
        trace_module(job),
        inputs=[coremltools.TensorType(shape=shape) for shape in shapes],
        convert_to="mlprogram",
        compute_precision=coremltools.precision.FLOAT32,
        skip_model_load=sys.platform != "darwin",
    )
    description = converted.get_spec().description
    given, gives = ([each.name for each in of] for of in (description.input, description.output))

    def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        arrays = [tensor.detach().numpy() for tensor in tensors]
        found = converted.predict(dict(zip(given, arrays, strict=True)))
        return [torch.as_tensor(found[name]) for name in gives]

    unrun = "" if sys.platform == "darwin" else _UNRUN
    return Exported(
        run, artifact=save_artifact(job, "model.mlpackage", converted.save), unrun=unrun
    )


def explain(error: BaseException, job: Job) -> Explained:
    """All operators of the trace without a conversion, and the line of the first."""
    found = _NO_FUNCTION.search(text_of(error))
    if found is None:
        return Explained(message=summarise_error(error))
    operators = tuple(_list_unconverted(job)) or (f"aten::{found[1]}",)
    where = find_call_stack(job, operators)
    return Explained(operators, where, f"no conversion for {', '.join(operators)}")


def script(job: Job) -> str:
    """As `export`."""
    return FLATTENING_SCRIPT + _SCRIPT.format(sizes=_bound(job), shapes=_name_shapes(job))


def _list_unconverted(job: Job) -> Sequence[str]:
    from coremltools.converters.mil.frontend.torch.torch_op_registry import _TORCH_OPS_REGISTRY

    known = _TORCH_OPS_REGISTRY
    return [name for name in list_called(job) if known.get_func(name.partition("::")[2]) is None]


def _bound(job: Job) -> dict[str, tuple[int, int]]:
    """What each dynamic size is in the example, and what it is at most."""
    named = zip(job.example, job.list_dynamic_axes(), strict=True)
    first = {name: value.shape[axis] for value, axes in named for axis, name in axes.items()}
    return {name: (at, job.largest.get(name, _TIMES * at)) for name, at in first.items()}


def _name_shapes(job: Job) -> list[tuple[Any, ...]]:
    return [
        tuple(axes.get(axis, size) for axis, size in enumerate(value.shape))
        for value, axes in zip(job.example, job.list_dynamic_axes(), strict=True)
    ]
