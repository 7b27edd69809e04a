"""litert-torch, which writes a .tflite file by way of torch.export, run by ai-edge-litert on the CPU.

Sizes are fixed: what it lowers through JAX wants numbers, so one that varies is what it is in the example.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch

from lintorch.guest.export.error_reading import list_causes, list_frames, summarise_error
from lintorch.guest.export.exporter import (
    Explained,
    Exported,
    Job,
    explain_missing,
    refuse_in_stage,
)
from lintorch.guest.export.flat_outputs import FLATTENING_SCRIPT, drop_counts, flatten_outputs
from lintorch.guest.process.error_text import text_of

_FIXED = "the file has fixed sizes"
_NOT_LOWERED = re.compile(r"Lowering not found: (\w+)\.(\w+)")
_SCRIPT = """
import litert_torch
from ai_edge_litert.interpreter import Interpreter

path = os.path.join(folder.name, "model.tflite")
litert_torch.convert(model, example).export(path)
runner = Interpreter(model_path=path).get_signature_runner()


def number(name):
    return [int(part) for part in name.split("_") if part.isdigit()]


def exported(*given):
    details = runner.get_input_details()
    feed = {n: t.numpy() for n, t in zip(sorted(details, key=number), tensors(given))}
    found = runner(
        **{n: a.astype(details[n]["dtype"]) if a.dtype == "int64" else a for n, a in feed.items()}
    )
    return [torch.as_tensor(found[name]) for name in sorted(found, key=number)]

"""


def available() -> str:
    """How to install litert-torch, which brings its runtime."""
    return explain_missing("litert_torch", "ai_edge_litert", extra="litert")


def export(job: Job) -> Exported:
    """Converts, writes `model.tflite` and loads it."""
    import litert_torch

    converted = litert_torch.convert(flatten_outputs(job), job.arrange_arguments(job.example))
    path = job.directory / "model.tflite"
    with refuse_in_stage("save"):
        converted.export(str(path))
    with refuse_in_stage("load"):
        call = _load_signature(str(path))

    def run(values: Sequence[Any]) -> list[torch.Tensor]:
        return [torch.as_tensor(array) for array in call(values)]

    artifact = str(path) if job.keep else ""
    note = _FIXED if job.dynamic else ""
    made = Exported(run, note=note, artifact=artifact, is_fixed=bool(job.dynamic))
    return drop_counts(made, job)


def explain(error: BaseException, job: Job) -> Explained:
    """All operators that have no lowering, at the line of the first."""
    text = text_of(error)
    found = _NOT_LOWERED.search(text)
    if found is None:
        return Explained(where=text, message=summarise_error(error))
    operators = tuple(dict.fromkeys((f"{found[1]}::{found[2]}", *_list_not_lowered(error))))
    return Explained(operators, text, f"no lowering for {', '.join(operators)}")


def script(job: Job) -> str:
    """As `export`."""
    return FLATTENING_SCRIPT + _SCRIPT


def _list_not_lowered(error: BaseException) -> list[str]:
    """All operators of the graph that was being lowered which the registry does not know."""
    from litert_torch.backend.lowerings import lookup

    for inner in list_causes(error):
        for frame in list_frames(inner):
            graph: Any = getattr(getattr(frame.f_locals.get("self"), "module", None), "graph", None)
            if graph is not None and frame.f_code.co_name == "call_function":
                called = [node.target for node in graph.nodes if hasattr(node.target, "_schema")]
                return [target._schema.name for target in called if lookup(target) is None]
    return []


def _load_signature(path: str) -> Callable[[Sequence[Any]], list[Any]]:
    """A run of the one signature, whose names count inputs and outputs: `args_10` comes after `args_9`.

    Integers go in as the file has them: litert-torch 0.10 makes int32 of an int64.
    """
    from ai_edge_litert.interpreter import Interpreter

    runner = Interpreter(model_path=path, num_threads=1).get_signature_runner()
    details = runner.get_input_details()
    taken = sorted(details, key=_list_numbers)

    def call(values: Sequence[Any]) -> list[Any]:
        given = [value.detach().numpy() for value in values if isinstance(value, torch.Tensor)]
        feed = dict(zip(taken, given, strict=True))
        found = runner(**{name: _as_in_file(feed[name], details[name]["dtype"]) for name in taken})
        return [found[name] for name in sorted(found, key=_list_numbers)]

    return call


def _as_in_file(array: Any, dtype: Any) -> Any:
    return array.astype(dtype) if array.dtype == "int64" else array


def _list_numbers(name: str) -> list[int]:
    return [int(part) for part in name.split("_") if part.isdigit()]
