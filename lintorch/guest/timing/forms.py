"""The forms of a model that are timed: each ready to be called, with what is known of its size."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import nn

from lintorch.guest.export.exporter import Exported, Job
from lintorch.guest.timing.onnx_memory import count_file_weights, watch_file
from lintorch.guest.timing.rounds import Call
from lintorch.guest.timing.torch_memory import count_weights, watch_run
from lintorch.record.timings import FormTiming


@dataclass(frozen=True)
class Form:
    """What is timed: `told` holds all but the times."""

    told: FormTiming
    call: Call | None = None


def describe_module(name: str, module: nn.Module, call: Call, given: Sequence[Any]) -> Form:
    """A module that torch runs."""
    told = FormTiming(name, weights=count_weights(module))
    with suppress(Exception):  # a run that the dispatcher cannot be watched in
        operators, most = watch_run(call, module, given)
        told = replace(told, operators=operators, activations=most)
    return Form(told, call)


def describe_exported(name: str, exported: Exported, job: Job, path: Path | None) -> Form:
    """What was exported; `path` is that of an ONNX file."""
    values = job.example
    ready = exported.prepare
    call: Call = ready(values) if ready else lambda: exported.run(values)
    size = _count_bytes(job.directory if path is None else path)
    told = FormTiming(name, file=size)
    if exported.module is not None:
        form = describe_module(name, exported.module, call, values)
        return replace(form, told=replace(form.told, file=size))
    if path is not None:
        with suppress(Exception):  # releases of ONNX Runtime whose profile is another
            operators, most = watch_file(path, job, values)
            told = replace(told, operators=operators, activations=most)
        with suppress(Exception):  # types that numpy has no name for
            told = replace(told, weights=count_file_weights(path))
    return Form(told, call)


def _count_bytes(path: Path) -> int | None:
    """Of a file and the weights beside it, or of all files in a folder; None where none was written."""
    beside = [path, path.with_name(f"{path.name}.data")]
    files = path.iterdir() if path.is_dir() else beside
    return sum(each.stat().st_size for each in files if each.is_file()) or None
