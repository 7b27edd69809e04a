"""ONNX Runtime on the CPU: what an ONNX file computes, at any sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from lintorch.guest.export.exporter import Exported, Job, explain_missing, refuse_in_stage
from lintorch.guest.export.flat_outputs import drop_counts
from lintorch.record.arguments import pick_tensors

_FATAL_ONLY = 4
"""ONNX Runtime's own number for the log level at which it prints nothing but fatal errors."""
_BFLOAT16 = 16
"""Its number in onnx.proto."""
_SCRIPT = """
import onnxruntime

session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
taken = [given.name for given in session.get_inputs()]


def exported(*given):
    given = tensors(given)
    names = taken if len(taken) == len(given) else {names}
    feed = {{name: tensor.numpy() for name, tensor in zip(names, given) if name in taken}}
    return [torch.as_tensor(array) for array in session.run(None, feed)]

"""


def explain_missing_onnx(*more: str) -> str:
    """How to install what writing and running ONNX takes."""
    return explain_missing("onnx", "onnxruntime", *more)


def make_onnx_arguments(job: Job) -> tuple[Any, ...]:
    """What `torch.onnx.export` is given: a mapping that came last would be taken for named arguments."""
    return (*job.arrange_arguments(job.example), {})


def load_onnx_file(path: Path, job: Job) -> Exported:
    """A file as something that runs, with the opset it was written in; `Refused("load")`."""
    with refuse_in_stage("load"):
        import onnx

        model = onnx.load(str(path), load_external_data=False)
        opsets = model.opset_import
        opset = next((entry.version for entry in opsets if entry.domain in ("", "ai.onnx")), None)
        session = open_session(path)
        run = _make_runner(session, _name_tensors(job))
    wrote = f"opset {job.opset} was asked for, {opset} was written"
    note = "" if job.opset in (None, opset) else wrote
    exported = Exported(run, opset, note, str(path) if job.keep else "", model.ir_version)
    exported = replace(exported, prepare=_make_preparer(session, _name_tensors(job)))
    return drop_counts(replace(exported, pruned=_list_pruned(session, job)), job)


def list_feeds(path: Path, job: Job, given: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """What a file is fed for each of these values of all inputs, as arrays by name."""
    session = open_session(path)
    return [_make_feed(session, _name_tensors(job), values) for values in given]


def _list_pruned(session: Any, job: Job) -> tuple[str, ...]:
    """The inputs that a file does not have; none where it has as many, whatever they are called."""
    taken = [given.name for given in session.get_inputs()]
    names = _name_tensors(job)
    return () if len(taken) == len(names) else tuple(n for n in names if n not in taken)


def write_running(job: Job) -> str:
    """Running the file at `path`, as statements of a program."""
    return _SCRIPT.format(names=_name_tensors(job))


def _name_tensors(job: Job) -> list[str]:
    return [given.label for given in pick_tensors(job.inputs)]


def open_session(path: Path, profile: str = "") -> Any:
    """A session on the CPU, in one thread; a `profile` of its runs is written to a file that begins so."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _FATAL_ONLY
    if profile:
        options.enable_profiling, options.profile_file_prefix = True, profile
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _make_runner(session: Any, names: list[str]) -> Callable[[Sequence[Any]], list[torch.Tensor]]:
    def run(values: Sequence[Any]) -> list[torch.Tensor]:
        given = make_call(session, _make_feed(session, names, values))()
        return [
            torch.from_dlpack(each._ortvalue)
            if hasattr(each, "_ortvalue")
            else torch.as_tensor(each)
            for each in given
        ]

    return run


def _make_preparer(session: Any, names: list[str]) -> Callable[[Sequence[Any]], Callable[[], Any]]:
    return lambda values: make_call(session, _make_feed(session, names, values))


def make_call(session: Any, feed: Mapping[str, Any]) -> Callable[[], Any]:
    """A run of a session on what `list_feeds` gives for one batch.

    numpy has no bfloat16: its bits are given as whole numbers, and values of ONNX Runtime come back.
    """
    if not any(isinstance(value, torch.Tensor) for value in feed.values()):
        return lambda: session.run(None, feed)
    import onnxruntime

    made = onnxruntime.OrtValue
    values = {
        name: made.ortvalue_from_numpy_with_onnx_type(value.view(torch.int16).numpy(), _BFLOAT16)
        if isinstance(value, torch.Tensor)
        else made.ortvalue_from_numpy(value)
        for name, value in feed.items()
    }
    return lambda: session.run_with_ort_values(None, values)


def _make_feed(session: Any, names: list[str], values: Sequence[Any]) -> dict[str, Any]:
    """Feeds by place; by name where the file has lost inputs that the graph does not use."""
    taken = [given.name for given in session.get_inputs()]
    complete = len(taken) == len(names)
    arrays = [_to_array(value) for value in values if isinstance(value, torch.Tensor)]
    named = zip(taken if complete else names, arrays, strict=True)
    return {name: array for name, array in named if name in taken}


def _to_array(value: torch.Tensor) -> Any:
    """The tensor itself where numpy has no such type."""
    value = value.detach()
    return value.contiguous() if value.dtype is torch.bfloat16 else value.numpy()
