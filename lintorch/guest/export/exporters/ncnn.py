"""pnnx, which turns a traced model into one of ncnn, run by ncnn on the CPU in 32 bits.

ncnn knows no batch: a model is converted for one sample, and samples are run one by one.
pnnx leaves what it cannot convert in the file, without an error; the file then does not load.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import torch

from lintorch.guest.export import flat_outputs
from lintorch.guest.export.exporter import (
    Explained,
    Exported,
    Job,
    explain_missing,
    refuse_in_stage,
)
from lintorch.guest.export.exporters.ncnn_runtime import load_net, make_net_runner
from lintorch.guest.export.exporters.traced_module import find_call_stack, trace_module
from lintorch.guest.process.error_text import text_of

_STEP_BY_NAME = {"depth": 32, "height": 32, "width": 64}
"""How much larger the second shape is that pnnx learns from which sizes may vary."""
_STEP = 4
"""The same for sizes of other names."""
_TYPE_NAMES = {torch.float32: "f32", torch.float16: "f16", torch.int64: "i64", torch.int32: "i32"}
_NO_BATCH = "ncnn has no batch: the first size of each input must be one that may vary"


class UntranslatedError(Exception):
    """Operators that are left as they were."""

    def __init__(self, operators: tuple[str, ...]) -> None:
        super().__init__(f"pnnx has no ncnn layer for {', '.join(operators)}")
        self.operators = operators


def available() -> str:
    """How to install pnnx and ncnn."""
    return explain_missing("pnnx", "ncnn")


def export(job: Job) -> Exported:
    """Traces for one sample, converts in a process of its own, and loads. Raises UntranslatedError."""
    if not all(axes.get(0) for axes in job.list_dynamic_axes()):
        raise ValueError(_NO_BATCH)
    path = job.directory / "model.pt"
    example = tuple(tensor[:1] for tensor in job.example)
    trace_module(job, example).save(str(path))
    _convert_model(path, job)
    param = path.with_name("model.ncnn.param")
    if left := _find_untranslated(param.read_text()):
        raise UntranslatedError(left)
    with refuse_in_stage("load"):
        net = load_net(param)
    for other in path.parent.glob("model*"):
        if not other.name.startswith("model.ncnn."):
            other.unlink()
    return Exported(make_net_runner(net), artifact=str(param) if job.keep else "")


def explain(error: BaseException, job: Job) -> Explained:
    """All operators left; of an abort, the stack of the traced code, whose innermost line is first."""
    if isinstance(error, UntranslatedError):
        return Explained(error.operators, find_call_stack(job, error.operators), text_of(error))
    return Explained(where="\n".join(reversed(text_of(error).splitlines())))


def script(job: Job) -> str:
    """As `export`."""
    return flat_outputs.FLATTENING_SCRIPT + _SCRIPT.format(arguments=_write_pnnx_arguments(job))


_SCRIPT = """
import subprocess

import ncnn
import pnnx


def one(value):
    if isinstance(value, torch.Tensor):
        return value[:1]
    if isinstance(value, dict):
        return {{key: one(part) for key, part in value.items()}}
    return type(value)(map(one, value))


traced = torch.jit.trace(model, one(example), check_trace=False, strict=False)
traced.save(os.path.join(folder.name, "model.pt"))
program = os.path.join(os.path.dirname(pnnx.__file__), "pnnx")
subprocess.run([program, "model.pt", *{arguments}], cwd=folder.name, check=True)
net = ncnn.Net()
net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = net.opt.use_fp16_packed = False
path = os.path.join(folder.name, "model.ncnn.")
if net.load_param(path + "param") or net.load_model(path + "bin"):
    sys.exit("the file does not load: " + open(path + "param").read())


def exported(*given):
    samples = []
    for sample in zip(*tensors(given)):
        with net.create_extractor() as extractor:
            for name, tensor in zip(net.input_names(), sample):
                extractor.input(name, ncnn.Mat(tensor.contiguous().numpy()).clone())
            found = [extractor.extract(name)[1] for name in net.output_names()]
            samples.append([torch.tensor(mat.numpy()) for mat in found])
    return [torch.stack(each) for each in zip(*samples)]

"""


def _write_pnnx_arguments(job: Job) -> list[str]:
    """Both shapes, for one sample, and full precision."""
    small = [_write_shape(tensor, {}) for tensor in job.example]
    large = [
        _write_shape(tensor, axes)
        for tensor, axes in zip(job.example, job.list_dynamic_axes(), strict=True)
    ]
    varies = [] if small == large else [f"inputshape2={','.join(large)}"]
    return [f"inputshape={','.join(small)}", *varies, "fp16=0"]


def _write_shape(tensor: torch.Tensor, larger: dict[int, str]) -> str:
    """`[1,3,64,64]f32`, with the axes that vary made larger."""
    sizes = [
        1 if axis == 0 else size + (_STEP_BY_NAME.get(larger[axis], _STEP) if axis in larger else 0)
        for axis, size in enumerate(tensor.shape)
    ]
    return f"[{','.join(map(str, sizes))}]{_TYPE_NAMES.get(tensor.dtype, 'f32')}"


def _convert_model(path: Path, job: Job) -> None:
    import pnnx

    program = os.path.join(os.path.dirname(pnnx.__file__), "pnnx")
    done = subprocess.run(
        [program, path.name, *_write_pnnx_arguments(job)],
        cwd=path.parent,
        capture_output=True,
        text=True,
    )
    if done.returncode or not path.with_name("model.ncnn.param").exists():
        raise RuntimeError(done.stderr.strip() or f"pnnx ended with {done.returncode}")


def _find_untranslated(param: str) -> tuple[str, ...]:
    """The layers of other systems in a file of ncnn, whose own have plain names."""
    kinds = [line.split()[0] for line in param.splitlines()[2:] if line.strip()]
    return tuple(dict.fromkeys(kind for kind in kinds if "::" in kind or "." in kind))
