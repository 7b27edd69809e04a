"""The program that does what a trial does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from torch import nn

from lintorch.guest.export.eager_reference import Sizes
from lintorch.guest.export.exporter import Job
from lintorch.guest.export.exporter_table import TABLE
from lintorch.guest.export.reproduction import program
from lintorch.guest.watch.make_tensors import tensors
from lintorch.record.trace import Model


def script(
    exporter: str,
    name: str,
    building: Sequence[str],
    module: nn.Module,
    model: Model,
    varied: Mapping[str, Sizes],
    *,
    opset: int | None,
    train: bool,
    directory: Path,
) -> str:
    """A program `name` that does what `attempt` does with torch alone; `building` sets its `model`."""
    dynamic = frozenset(size for group in varied for size in group.split(","))
    example = tensors(model.inputs, model.sizes)
    job = Job(module, model.inputs, example, dynamic, opset, directory, None)
    path = model.path.replace("\\", "/")
    title = f"{model.qualname} of {path} exported with {exporter}."
    sizes = [model.sizes, *varied.values()]
    return program(title, name, building, model.inputs, sizes, TABLE[exporter].script(job), train)
