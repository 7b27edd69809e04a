"""openvino.convert_model from a traced model, compiled and run on the CPU in 32 bits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from lintorch.guest.export import flat_outputs
from lintorch.guest.export.error_reading import summarise_error
from lintorch.guest.export.exporter import (
    Explained,
    Exported,
    Job,
    explain_missing,
    refuse_in_stage,
    save_artifact,
)
from lintorch.guest.export.exporters.quantized_openvino import quantize_converted, read_layers
from lintorch.guest.export.exporters.traced_module import find_call_stack, trace_module
from lintorch.guest.process.error_text import text_of

_NO_RULE = re.compile(r"No conversion rule found for operations?: ([\w:, ]+)")
_CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
"""In full precision: the CPU plugin else computes in bfloat16 where the processor can."""
_SCRIPT = """
os.environ["HOME"] = folder.name  # its telemetry writes there
import openvino

traced = torch.jit.trace(model, example, check_trace=False, strict=False)
shapes = {shapes}
converted = openvino.convert_model(traced, example_input=example, input=shapes)
compiled = openvino.compile_model(converted, "CPU", {config})


def exported(*given):
    results = compiled([tensor.numpy() for tensor in tensors(given)])
    return [torch.as_tensor(results[output]) for output in compiled.outputs]

"""


def available() -> str:
    """How to install openvino."""
    return explain_missing("openvino")


def export(job: Job) -> Exported:
    """Traces, converts with the named sizes dynamic, and compiles."""
    import openvino

    converted = openvino.convert_model(
        trace_module(job),
        example_input=job.arrange_arguments(job.example),
        input=_list_dynamic_shapes(job),
    )
    if job.quantization is not None:
        with refuse_in_stage("quantize"):
            converted = quantize_converted(converted, job.quantization, job)
    with refuse_in_stage("load"):
        compiled = openvino.compile_model(converted, "CPU", _CONFIG)

    def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        results = compiled([tensor.detach().numpy() for tensor in tensors])
        return [torch.as_tensor(results[output]) for output in compiled.outputs]

    def prepare(tensors: Sequence[torch.Tensor]) -> Callable[[], object]:
        arrays = [tensor.detach().numpy() for tensor in tensors]
        return lambda: compiled(arrays)

    def save(path: str) -> None:
        openvino.save_model(converted, path, compress_to_fp16=False)

    exported = Exported(run, artifact=save_artifact(job, "model.xml", save), prepare=prepare)
    if job.quantization is None:
        return exported
    return replace(exported, read_layers=lambda given: read_layers(converted, given, _CONFIG))


def explain(error: BaseException, job: Job) -> Explained:
    """All operators without a conversion rule, and the line of the first."""
    found = _NO_RULE.search(text_of(error))
    if found is None:
        return Explained(message=summarise_error(error))
    operators = tuple(name.strip() for name in found[1].split(",") if "::" in name)
    return Explained(
        operators, find_call_stack(job, operators), f"no conversion rule for {', '.join(operators)}"
    )


def script(job: Job) -> str:
    """As `export`."""
    return flat_outputs.FLATTENING_SCRIPT + _SCRIPT.format(
        shapes=_list_dynamic_shapes(job), config=_CONFIG
    )


def _list_dynamic_shapes(job: Job) -> list[tuple[int, ...]]:
    return [
        tuple(-1 if axis in axes else size for axis, size in enumerate(given.shape))
        for given, axes in zip(job.example, job.list_dynamic_axes(), strict=True)
    ]
