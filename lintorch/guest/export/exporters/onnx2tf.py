"""onnx2tf: a .tflite file of an ONNX one, at fixed sizes, run by ai-edge-litert on the CPU.

Inputs keep the order of their axes (`-kat`). Outputs of convolutions have their channels last in the
file: which ones, onnx2tf itself says, and these are turned back.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
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
from lintorch.guest.process.error_text import text_of
from lintorch.record.arguments import pick_tensors

_CONVERT = """
import json, os, sys
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
import onnx, onnx2tf
source, folder, *names = sys.argv[1:]
os.makedirs(folder)
own = os.path.join(folder, "model.onnx")
onnx.save(onnx.load(source), own)
model = onnx2tf.convert(
    input_onnx_file_path=own,
    output_folder_path=folder,
    keep_shape_absolutely_input_names=names,
    output_signaturedefs=True,
    verbosity="error",
)
with open(os.path.join(folder, "layouts.json"), "w") as file:
    json.dump({name: bool(last) for name, last in model.onnx_output_layouts.items()}, file)
"""
"""onnx2tf calls onnxsim by its name, which changes the file in place; `output_signaturedefs` keeps names."""
_FIXED = "the file has fixed sizes"
_FOLDER = "tflite"
_NODE = re.compile(r"onnx_op_name: (\S+)")
_LACKS = re.compile(r"(\w+) OP is not yet implemented")
_FLEX = re.compile(r"Node number \d+ \(Flex(\w+)\)")
_ERROR = re.compile(r"(?m)^(?:\w+\.)*\w*(?:Error|Exception)\b:?.*$")
_SCRIPT = """
import json
import subprocess

convert = {convert!r}
source, made = os.path.join(folder.name, "model.onnx"), os.path.join(folder.name, "tflite")
torch.onnx.export(model, (*example, {{}}), source, dynamo=True)
import onnx

graph = onnx.load(source).graph
subprocess.run([sys.executable, "-c", convert, source, made, *[each.name for each in graph.input]], check=True)
with open(os.path.join(made, "layouts.json")) as file:
    last = json.load(file)
from ai_edge_litert.interpreter import Interpreter

runner = Interpreter(model_path=os.path.join(made, "model_float32.tflite")).get_signature_runner()


def exported(*given):
    feed = {{each.name: t.numpy() for each, t in zip(graph.input, tensors(given))}}
    found = runner(**{{name: feed[name] for name in runner.get_input_details()}})
    given = [(torch.as_tensor(found[each.name]), last[each.name]) for each in graph.output]
    return [t.movedim(-1, 1) if turned and t.dim() > 2 else t for t, turned in given]

"""


def available() -> str:
    """How to install onnx2tf, which brings TensorFlow and LiteRT; it is not imported beside torch."""
    if lacking := onnx.available():
        return lacking
    there = importlib.util.find_spec("onnx2tf") is not None
    lacking = "" if there else explain_missing("onnx2tf", extra="onnx2tf")
    return lacking or explain_missing("ai_edge_litert", extra="onnx2tf")


def export(job: Job) -> Exported:
    """Writes ONNX of the sizes of the example, converts it and loads that. Raises ConverterError."""
    source = onnx.write_onnx_file(replace(job, dynamic=frozenset()))
    taken, given = name_values(source)
    _convert(source, taken)
    made = job.directory / _FOLDER
    layouts = json.loads((made / "layouts.json").read_text("utf-8"))
    path = (made / f"{source.stem}_float32.tflite").replace(job.directory / "model.tflite")
    shutil.rmtree(made)
    drop_onnx(job.directory)
    with refuse_in_stage("load"):
        call = _load_signature(path)

    own = [each.label for each in pick_tensors(job.inputs)]
    names = taken if len(taken) == len(own) else own  # the file may lack what nothing uses

    def run(values: Sequence[Any]) -> list[torch.Tensor]:
        arrays = [each.detach().numpy() for each in values if isinstance(each, torch.Tensor)]
        found = call(dict(zip(names, arrays, strict=True)))
        return [_put_channels_first(found[name], layouts[name]) for name in given]

    artifact = str(path) if job.keep else ""
    note = _FIXED if job.dynamic else ""
    exported = Exported(run, note=note, artifact=artifact, is_fixed=bool(job.dynamic))
    return drop_counts(exported, job)


def explain(error: BaseException, job: Job) -> Explained:
    """What onnx2tf or LiteRT has no operator for, else the line of the node that it stopped at."""
    if lacking := _FLEX.search(text_of(error)):
        operators = tuple(dict.fromkeys(_FLEX.findall(text_of(error))))
        return Explained(
            message=f"LiteRT alone has no {', '.join(operators)} of TensorFlow: {lacking[0]}"
        )
    return explain_converter(error, job, _find_cause, "onnx2tf")


def script(job: Job) -> str:
    """As `export`."""
    return _SCRIPT.format(convert=_CONVERT)


def _convert(source: Path, taken: Sequence[str]) -> None:
    try:
        printed = run_converter(_CONVERT, [source.name, _FOLDER, *taken], source.parent)
    except ConverterError as error:
        printed = text_of(error)
        node = _NODE.search(printed)
        raise ConverterError(printed, _LACKS.findall(printed), node[1] if node else "") from None
    if not (source.parent / _FOLDER / "layouts.json").exists():
        raise ConverterError(printed)


def _find_cause(printed: str) -> str:
    """The last line that names an error: what is printed before are warnings of TensorFlow, and advice."""
    found = [*_ERROR.finditer(printed)]
    return f"onnx2tf: {(found[-1][0] if found else printed.splitlines()[-1]).strip()}"


def _load_signature(path: Path) -> Callable[[dict[str, Any]], dict[str, Any]]:
    from ai_edge_litert.interpreter import Interpreter

    runner = Interpreter(model_path=str(path), num_threads=1).get_signature_runner()
    taken = runner.get_input_details()
    return lambda feed: dict(runner(**{name: feed[name] for name in taken}))


def _put_channels_first(array: Any, last: bool) -> torch.Tensor:
    tensor = torch.as_tensor(array)
    return tensor.movedim(-1, 1) if last and tensor.dim() > 2 else tensor
