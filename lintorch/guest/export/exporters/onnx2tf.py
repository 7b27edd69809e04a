"""onnx2tf: a .tflite file of an ONNX one, at fixed sizes, run by ai-edge-litert on the CPU.

Inputs keep the order of their axes (`-kat`). Outputs may have their channels last in the file, and
what onnx2tf says of that itself (`onnx_output_layouts`) is not so of each: the sizes in the file tell it.
Where an output has as many channels as its sides are long, nothing does, and nothing is compared.
"""

from __future__ import annotations

import importlib.util
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
    read_output_sizes,
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
import os, sys
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
import onnx, onnx2tf
source, folder, *names = sys.argv[1:]
os.makedirs(folder)
own = os.path.join(folder, "model.onnx")
onnx.save(onnx.load(source), own)
onnx2tf.convert(
    input_onnx_file_path=own,
    output_folder_path=folder,
    keep_shape_absolutely_input_names=names,
    output_signaturedefs=True,
    verbosity="error",
)
"""
"""onnx2tf calls onnxsim by its name, which changes the file in place; `output_signaturedefs` keeps names."""
_UNTOLD = "converted; not run, for an output has as many channels as its sides are long, so nothing tells their order"
_FIXED = "the file has fixed sizes"
_FOLDER = "tflite"
_NODE = re.compile(r"onnx_op_name: (\S+)")
_LACKS = re.compile(r"(\w+) OP is not yet implemented")
_FLEX = re.compile(r"Node number \d+ \(Flex(\w+)\)")
_ERROR = re.compile(r"(?m)^(?:\w+\.)*\w*(?:Error|Exception)\b:?.*$")
_SCRIPT = """
import subprocess

convert = {convert!r}
source, made = os.path.join(folder.name, "model.onnx"), os.path.join(folder.name, "tflite")
torch.onnx.export(model, (*example, {{}}), source, dynamo=True)
import onnx

graph = onnx.load(source).graph
subprocess.run([sys.executable, "-c", convert, source, made, *[each.name for each in graph.input]], check=True)
from ai_edge_litert.interpreter import Interpreter

loaded = Interpreter(model_path=os.path.join(made, "model_float32.tflite"))


def call(feed):
    if loaded.get_signature_list():
        runner = loaded.get_signature_runner()
        return runner(**{{name: feed[name] for name in runner.get_input_details()}})
    loaded.allocate_tensors()
    for each, name in zip(loaded.get_input_details(), feed):
        loaded.set_tensor(each["index"], feed[name])
    loaded.invoke()
    out = [loaded.get_tensor(each["index"]) for each in loaded.get_output_details()]
    return {{each.name: array for each, array in zip(graph.output, out)}}


def exported(*given):
    found = call({{each.name: t.numpy() for each, t in zip(graph.input, tensors(given))}})
    sizes = [[size.dim_value for size in each.type.tensor_type.shape.dim] for each in graph.output]
    given = [(torch.as_tensor(found[each.name]), own) for each, own in zip(graph.output, sizes)]
    return [t if list(t.shape) == own or t.dim() < 3 else t.movedim(-1, 1) for t, own in given]

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
    sizes = read_output_sizes(source)
    path = _convert(source, taken)
    drop_onnx(job.directory)
    with refuse_in_stage("load"):
        call = _load_file(path, taken, given)
    own = [each.label for each in pick_tensors(job.inputs)]
    names = taken if len(taken) == len(own) else own  # the file may lack what nothing uses

    def run(values: Sequence[Any]) -> list[torch.Tensor]:
        arrays = [each.detach().numpy() for each in values if isinstance(each, torch.Tensor)]
        found = call(dict(zip(names, arrays, strict=True)))
        return [_put_channels_first(torch.as_tensor(found[name]), sizes[name]) for name in given]

    artifact = str(path) if job.keep else ""
    note = _FIXED if job.dynamic else ""
    unrun = _UNTOLD if any(map(_is_untold, sizes.values())) else ""
    fixed = bool(job.dynamic)
    return drop_counts(Exported(run, None, note, artifact, is_fixed=fixed, unrun=unrun), job)


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


def _convert(source: Path, taken: Sequence[str]) -> Path:
    """The file that is made, beside the one of ONNX."""
    try:
        printed = run_converter(_CONVERT, [source.name, _FOLDER, *taken], source.parent)
    except ConverterError as error:
        printed = text_of(error)
        node = _NODE.search(printed)
        raise ConverterError(printed, _LACKS.findall(printed), node[1] if node else "") from None
    made = source.parent / _FOLDER / f"{source.stem}_float32.tflite"
    if not made.exists():
        raise ConverterError(printed)
    path = made.replace(source.parent / "model.tflite")
    shutil.rmtree(made.parent)
    return path


def _find_cause(printed: str) -> str:
    """The last line that names an error: what is printed before are warnings of TensorFlow, and advice."""
    found = [*_ERROR.finditer(printed)]
    return f"onnx2tf: {(found[-1][0] if found else printed.splitlines()[-1]).strip()}"


def _load_file(
    path: Path, taken: Sequence[str], given: Sequence[str]
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A run by the signature, whose names are those of ONNX; where onnx2tf wrote none, by their order.

    None is written where a name of the graph is no name in TensorFlow (1.29.24: of ShuffleNet and
    SegFormer), and the file runs all the same.
    """
    from ai_edge_litert.interpreter import Interpreter

    loaded = Interpreter(model_path=str(path), num_threads=1)
    if loaded.get_signature_list():
        runner = loaded.get_signature_runner()
        names = runner.get_input_details()
        return lambda feed: dict(runner(**{name: feed[name] for name in names}))
    loaded.allocate_tensors()
    places = [each["index"] for each in loaded.get_input_details()]

    def call(feed: dict[str, Any]) -> dict[str, Any]:
        for name, place in zip(taken, places, strict=True):
            loaded.set_tensor(place, feed[name])
        loaded.invoke()
        made = [loaded.get_tensor(each["index"]) for each in loaded.get_output_details()]
        return dict(zip(given, made, strict=True))

    return call


def _is_untold(sizes: Sequence[int]) -> bool:
    """Whether an output of these sizes has them with its channels last, too, or not all are known."""
    return len(sizes) > 2 and (0 in sizes or ({*sizes[1:]} != {1} and len({*sizes[1:]}) == 1))


def _put_channels_first(tensor: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
    """The same where it has the sizes that ONNX gives it, or those of no other order either."""
    last = [*sizes[:1], *sizes[2:], *sizes[1:2]]
    if len(sizes) > 2 and list(tensor.shape) == last != list(sizes):
        return tensor.movedim(-1, 1)
    return tensor
