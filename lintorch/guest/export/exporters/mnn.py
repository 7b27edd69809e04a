"""MNN: converted from an ONNX file, and run on the CPU in full precision.

Its converter is called without `MNN.tools`, whose import installs packages into the interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from lintorch.guest.export.converted_onnx import (
    ConverterError,
    drop_onnx,
    explain_converter,
    name_values,
    run_converter,
)
from lintorch.guest.export.exporter import (
    Explained,
    Exported,
    Job,
    explain_missing,
    refuse_in_stage,
)
from lintorch.guest.export.exporters import onnx
from lintorch.guest.export.flat_outputs import drop_counts

_CONVERT = "import sys, _tools; _tools.mnnconvert(['mnnconvert', *sys.argv[1:]])"
_UNKNOWN = re.compile(r"These Op Not Support: (.*)")
_FAILED = re.compile(r"(?im)^.*(error|fail|not support|check it out).*$")
_CPU = {"backend": "CPU", "numThread": 1, "precision": "high"}
_WHOLE = (torch.int64, torch.bool)
"""Types that MNN feeds as 32 bits."""
_SCRIPT = """
import subprocess

path = os.path.join(folder.name, "model.mnn")
convert = {convert!r}  # without MNN.tools, whose import installs packages
source = os.path.join(folder.name, "model.onnx")
torch.onnx.export(model, (*example, {{}}), source, dynamo=True, dynamic_shapes={shapes})
options = ["-f", "ONNX", "--modelFile", source, "--MNNModel", path, "--bizCode", "repro"]
subprocess.run([sys.executable, "-c", convert, *options])
if not os.path.exists(path):
    sys.exit("MNN does not convert the file")
import MNN
import onnx

graph = onnx.load(source).graph
names = [[each.name for each in values] for values in (graph.input, graph.output)]
manager = MNN.nn.create_runtime_manager(({cpu},))
module = MNN.nn.load_module_from_file(path, *names, runtime_manager=manager)


def exported(*given):
    given = [t.int() if t.dtype in (torch.int64, torch.bool) else t for t in tensors(given)]
    kinds = [MNN.expr.float if t.is_floating_point() else MNN.expr.int for t in given]
    fed = [MNN.expr.const(t.contiguous().numpy(), list(t.shape), MNN.expr.NCHW, k) for t, k in zip(given, kinds)]
    found = [MNN.expr.convert(value, MNN.expr.NCHW) for value in module.onForward(fed)]
    return [torch.tensor(value.read()).reshape(value.shape) for value in found]

"""


def available() -> str:
    """How to install MNN."""
    return onnx.available() or explain_missing("MNN", extra="mnn")


def export(job: Job) -> Exported:
    """Writes ONNX, converts it to `model.mnn` and loads that. Raises ConverterError."""
    source = onnx.write_onnx_file(job)
    names = name_values(source)
    path = job.directory / "model.mnn"
    options = ["-f", "ONNX", "--modelFile", source.name, "--MNNModel", path.name, "--bizCode", "x"]
    printed = run_converter(_CONVERT, options, job.directory)
    if not path.exists():
        unknown = _UNKNOWN.search(printed)
        words = re.findall(r"ONNX::(\w+)", unknown[1]) if unknown else ()
        raise ConverterError(printed, words)
    drop_onnx(job.directory)
    with refuse_in_stage("load"):
        module = _load_module(path, names)

    def run(values: Sequence[Any]) -> list[torch.Tensor]:
        tensors = [value.detach() for value in values if isinstance(value, torch.Tensor)]
        return _run_module(module, tensors)

    return drop_counts(Exported(run, artifact=str(path) if job.keep else ""), job)


def explain(error: BaseException, job: Job) -> Explained:
    """The ONNX operators that MNN has no layer for; of anything else the line that says so."""
    return explain_converter(error, job, _find_cause, "MNN")


def script(job: Job) -> str:
    """As `export`."""
    return _SCRIPT.format(convert=_CONVERT, cpu=_CPU, shapes=onnx.write_dynamic_shapes(job))


def _find_cause(printed: str) -> str:
    found = _FAILED.search(printed)
    return f"MNN: {found[0].strip() if found else printed.splitlines()[-1]}"


def _load_module(path: Path, names: tuple[list[str], list[str]]) -> Any:
    import MNN

    manager = MNN.nn.create_runtime_manager((_CPU,))
    return MNN.nn.load_module_from_file(str(path), *names, runtime_manager=manager)


def _run_module(module: Any, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    from MNN import expr

    fed = []
    for tensor in tensors:
        kind = expr.float if tensor.is_floating_point() else expr.int
        given = tensor.int() if tensor.dtype in _WHOLE else tensor
        array = given.contiguous().numpy()
        fed.append(expr.const(array, list(tensor.shape), expr.NCHW, kind))
    found = [expr.convert(value, expr.NCHW) for value in module.onForward(fed)]
    return [torch.tensor(value.read()).reshape(value.shape) for value in found]
