"""The program that does what a trial does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from torch import nn

from lintorch.guest.export.eager_reference import NamedSizes
from lintorch.guest.export.exporter import Job
from lintorch.guest.export.find_exporter import find_exporter
from lintorch.guest.export.write_program import write_program
from lintorch.guest.watch.make_tensors import make_inputs
from lintorch.record.models import Model


def write_reproduction(
    exporter: str,
    name: str,
    building: Sequence[str],
    module: nn.Module,
    model: Model,
    varied: Mapping[str, NamedSizes],
    *,
    opset: int | None,
    train: bool,
    strict: bool,
    livened: bool,
    directory: Path,
) -> str:
    """A program `name` that does what `try_export` does with torch alone; `building` sets its `model`."""
    dynamic = frozenset(size for group in varied for size in group.split(","))
    example = make_inputs(model.inputs, model.sizes)
    job = Job(module, model.inputs, example, dynamic, opset, directory, None, strict=strict)
    path = model.path.replace("\\", "/")
    title = f"{model.qualname} of {path} exported with {exporter}."
    sizes = [model.sizes, *varied.values()]
    exporting = find_exporter(exporter).script(job)
    return write_program(
        title, name, building, model.inputs, sizes, exporting, train, livened=livened
    )
