"""ExecuTorch: torch.export, lowered to XNNPACK where that takes it, and run by the runtime's own kernels.

Its memory is planned before it runs, for the largest sizes: each size that varies has a bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import nn

from lintorch.guest.export import flat_outputs
from lintorch.guest.export.error_reading import summarise_error
from lintorch.guest.export.exporter import (
    Explained,
    Exported,
    Job,
    explain_missing,
    refuse_in_stage,
)
from lintorch.guest.export.exporters.quantized_program import quantize_program
from lintorch.guest.export.exporters.torch_export import gather_star
from lintorch.guest.export.program_stacks import find_program_stack
from lintorch.guest.export.quantization import LayerReader, Quantization
from lintorch.guest.export.shape_constraints import explain_fixed_size, explain_unsolved
from lintorch.guest.process.error_text import text_of

_TIMES = 4
"""How many times its first size a size may be where nobody says what it is at most."""
_NOT_CORE = re.compile(r"Operator torch\._ops\.(\w+)\.(\w+)\.\w+ is not in Core ATen opset")
_NO_KERNEL = re.compile(r"[Mm]issing out variants: \{([^}]*)\}")
_SCRIPT = """
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

shapes = {shapes}
program = torch.export.export(model, example, dynamic_shapes=shapes, strict=False)
lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
path = os.path.join(folder.name, "model.pte")
with open(path, "wb") as file:
    file.write(lowered.to_executorch().buffer)
method = Runtime.get().load_program(path).load_method("forward")


def exported(*given):
    found = method.execute([tensor.contiguous() for tensor in tensors(given)])
    return [value.clone() for value in found if isinstance(value, torch.Tensor)]

"""


def available() -> str:
    """How to install executorch."""
    return explain_missing("executorch")


def export(job: Job) -> Exported:
    """Exports, quantizes where that is asked for, lowers, writes `model.pte` and loads it."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    program = _export_program(job.module, job)
    read: LayerReader | None = None
    if job.quantization is not None:
        with refuse_in_stage("quantize"):
            quantized = quantize_program(program, _make_quantizer(job.quantization), job)
        program = _export_program(quantized.module, job)
        read = partial(quantized.read_layers, job)
    lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    buffer = lowered.to_executorch().buffer
    path = job.directory / "model.pte"
    with refuse_in_stage("save"):
        path.write_bytes(buffer)
    with refuse_in_stage("load"):
        run = _load_program(str(path))
    exported = Exported(
        run, artifact=str(path) if job.keep else "", prepare=lambda values: lambda: run(values)
    )
    return flat_outputs.drop_counts(replace(exported, read_layers=read), job)


def _export_program(module: nn.Module, job: Job) -> Any:
    return torch.export.export(
        module,
        job.arrange_arguments(job.example),
        dynamic_shapes=_bound_shapes(module, job),
        strict=False,
    )


def _make_quantizer(asked: Quantization) -> Any:
    """XNNPACK's own, symmetric and by channel, as its documentation calls it."""
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )

    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=asked.is_dynamic)
    return XNNPACKQuantizer().set_global(config)


def explain(error: BaseException, job: Job) -> Explained:
    """The operator that ExecuTorch has no kernel for, and where the program calls it."""
    if known := explain_fixed_size(error, job) or explain_unsolved(error, job):
        return known
    text = text_of(error)
    if found := _NOT_CORE.search(text):
        name = f"{found[1]}::{found[2]}"
        return Explained((name,), find_program_stack(error, found[2]), f"no kernel for {name}")
    if found := _NO_KERNEL.search(text):
        names = tuple(re.findall(r"\w+::\w+", found[1]))
        where = find_program_stack(error, names[0].partition("::")[2]) if names else ""
        return Explained(names, where, f"no kernel for {', '.join(names)}")
    return Explained(where=text, message=summarise_error(error))


def script(job: Job) -> str:
    """As `export`."""
    return flat_outputs.FLATTENING_SCRIPT + _SCRIPT.format(shapes=_write_shapes(job))


def _load_program(path: str) -> Callable[[Sequence[Any]], list[torch.Tensor]]:
    """Outputs stand in the program's own memory, which the next run writes to."""
    from executorch.runtime import Runtime

    program = Runtime.get().load_program(path)
    method = program.load_method("forward")

    def run(values: Sequence[Any]) -> list[torch.Tensor]:
        given = [value.detach().contiguous() for value in values if isinstance(value, torch.Tensor)]
        found = method.execute(given)
        return [value.clone() for value in found if isinstance(value, torch.Tensor)]

    return run


def _bound_shapes(module: nn.Module, job: Job) -> Any:
    """The dynamic_shapes of torch.export: each named size up to the largest that it is to run at."""
    if not job.dynamic:
        return None
    hint = torch.export.Dim.DYNAMIC
    each = [
        {axis: hint(max=most) for axis, most in axes.items()} or None for axes in _list_bounds(job)
    ]
    return gather_star(module, job.arrange_arguments(each))


def _list_bounds(job: Job) -> list[dict[int, int]]:
    return [
        {axis: job.largest.get(name, _TIMES * value.shape[axis]) for axis, name in axes.items()}
        for value, axes in zip(job.example, job.list_dynamic_axes(), strict=True)
    ]


def _write_shapes(job: Job) -> str:
    if not job.dynamic:
        return "None"
    each = [
        "{" + ", ".join(f"{a}: torch.export.Dim.DYNAMIC(max={m})" for a, m in axes.items()) + "}"
        if axes
        else "None"
        for axes in _list_bounds(job)
    ]
    return _join(gather_star(job.module, job.arrange_arguments(each)))


def _join(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + "".join(f"{_join(part)}, " for part in value).strip() + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(_join, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_join(part)}" for key, part in value.items()) + "}"
    return str(value)
