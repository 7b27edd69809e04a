"""The program that does what a trial does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from torch import nn

from lintorch.guest.export.closed_arguments import CLOSING_SCRIPT, close_over_plain
from lintorch.guest.export.eager_reference import NamedSizes
from lintorch.guest.export.exporter import Job
from lintorch.guest.export.find_exporter import find_exporter, takes_plain
from lintorch.guest.export.shared_state import is_copied_whole
from lintorch.guest.export.write_program import write_program
from lintorch.guest.feed.given_weights import GivenWeights
from lintorch.guest.watch.make_tensors import find_dynamic_names, make_inputs
from lintorch.record.models import Model


def write_reproduction(
    exporter: str,
    name: str,
    building: Sequence[str],
    module: nn.Module,
    model: Model,
    others: Sequence[NamedSizes],
    *,
    opset: int | None,
    train: bool,
    strict: bool,
    named: bool,
    weights: GivenWeights,
    warmed: bool,
    directory: Path,
) -> str:
    """A program `name` that does what `try_export` does with torch alone; `building` sets its `model`."""
    dynamic = find_dynamic_names(model.sizes, others)
    example = make_inputs(model.inputs, model.sizes)
    job = Job(module, model.inputs, example, dynamic, opset, directory, None, strict=strict)
    largest = {name: max(at[name] for at in (model.sizes, *others)) for name in dynamic}
    job = replace(job, named=named, largest=largest)
    path = model.path.replace("\\", "/")
    title = f"{model.qualname} of {path} exported with {exporter}."
    sizes = [model.sizes, *others]
    exporting = _write_exporting(exporter, job)
    return write_program(
        title,
        name,
        building,
        model.inputs,
        sizes,
        exporting,
        train,
        weights=weights,
        warmed=warmed,
        copied=is_copied_whole(module),
    )


def _write_exporting(exporter: str, job: Job) -> str:
    """The exporter's statements; where it takes tensors alone, behind those that leave only them."""
    found = find_exporter(exporter)
    alone = job if takes_plain(exporter) else close_over_plain(job)
    return ("" if alone is job else CLOSING_SCRIPT) + found.script(alone)
