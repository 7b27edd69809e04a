"""openvino.convert_model from a traced model, compiled and run on the CPU in 32 bits."""

from __future__ import annotations

import re
from collections.abc import Sequence

import torch

from lintorch.guest.export import flat_outputs
from lintorch.guest.export.error_reading import core
from lintorch.guest.export.exporter import Explained, Exported, Job, missing, saved, stage
from lintorch.guest.export.exporters.traced_module import called, traced
from lintorch.guest.process.error_text import text_of

_UNKNOWN = re.compile(r"No conversion rule found for operations?: ([\w:, ]+)")
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
    return missing("openvino", extra="openvino")


def export(job: Job) -> Exported:
    """Traces, converts with the named sizes dynamic, and compiles."""
    import openvino

    converted = openvino.convert_model(
        traced(job), example_input=job.nested(job.example), input=_shapes(job)
    )
    with stage("load"):
        compiled = openvino.compile_model(converted, "CPU", _CONFIG)

    def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        results = compiled([tensor.detach().numpy() for tensor in tensors])
        return [torch.as_tensor(results[output]) for output in compiled.outputs]

    def save(path: str) -> None:
        openvino.save_model(converted, path, compress_to_fp16=False)

    return Exported(run, artifact=saved(job, "model.xml", save))


def explain(error: BaseException, job: Job) -> Explained:
    """All operators without a conversion rule, and the line of the first."""
    told = _UNKNOWN.search(text_of(error))
    if told is None:
        return Explained(message=core(error))
    operators = tuple(name.strip() for name in told[1].split(",") if "::" in name)
    return Explained(
        operators, called(job, operators), f"no conversion rule for {', '.join(operators)}"
    )


def script(job: Job) -> str:
    """As `export`."""
    return flat_outputs.SCRIPT + _SCRIPT.format(shapes=_shapes(job), config=_CONFIG)


def _shapes(job: Job) -> list[tuple[int, ...]]:
    return [
        tuple(-1 if axis in axes else size for axis, size in enumerate(given.shape))
        for given, axes in zip(job.example, job.axes(), strict=True)
    ]
