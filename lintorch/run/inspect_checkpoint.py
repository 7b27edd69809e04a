"""A checkpoint file, and how its keys fit a model that is built in a worker."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from lintorch.checkpoint.checkpoint import Checkpoint, read_checkpoint
from lintorch.checkpoint.compare_keys import Comparison, compare_keys
from lintorch.checkpoint.nonfinite_values import list_nonfinite
from lintorch.record.models import Failure, Model
from lintorch.report.places import shown_path
from lintorch.run.name_models import name_models
from lintorch.run.project_models import group_models
from lintorch.run.request import CheckpointRequest, Progress
from lintorch.run.scope import Scope


class NoModelError(Exception):
    """The model that was named could not be had; says why."""


@dataclass(frozen=True)
class InspectedCheckpoint:
    """What a file holds, and what it is worth to a model; `nonfinite` is None where it was not asked for."""

    checkpoint: Checkpoint
    comparison: Comparison | None = None
    made_up: Mapping[str, str] | None = None
    """Arguments that the model was built with and nobody gave."""
    nonfinite: tuple[tuple[str, int], ...] | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether there is nothing to tell."""
        fits = self.comparison is None or self.comparison.loads_as_it_is
        return self.checkpoint.is_fine and fits and not self.nonfinite


def inspect_checkpoint(request: CheckpointRequest, progress: Progress) -> InspectedCheckpoint:
    """Read the file; build the model where one is named, and compare.

    Raises CheckpointError, NoSectionError, NoModelError, OSError, SettingsError, or WorkerError.
    """
    checkpoint = read_checkpoint(request.file, request.key)
    found = InspectedCheckpoint(checkpoint)
    chosen = checkpoint.chosen
    if request.values and chosen:
        numbers = tuple(list_nonfinite(request.file, checkpoint.raw, chosen.tensors))
        found = replace(found, nonfinite=numbers)
    if not request.model:
        return found
    if chosen is None:
        held = ", ".join(dict.fromkeys(each.kind for each in checkpoint.sections))
        why = f": {held} alone" if held else ""
        raise NoModelError(f"{request.file} holds no weights to compare{why}")
    return _compare_with_model(found, request, progress)


def _compare_with_model(
    found: InspectedCheckpoint, request: CheckpointRequest, progress: Progress
) -> InspectedCheckpoint:
    path, colon, name = request.model.rpartition(":")
    if not colon or not os.path.isfile(path):
        raise NoModelError(f"{request.model} names no model: write {name_models(request.model)}")
    models = replace(request.models, only=(request.model,))
    request = replace(request, models=models, paths=(path,))
    failure: Failure | None = None
    for group in group_models((path,), request, Scope(request)):
        options = replace(group.options, state=True)
        with closing(replace(group, options=options).examine_files(progress)) as examined:
            for report in examined:
                failure = failure or report.failure
                if report.state is None or found.checkpoint.chosen is None:
                    continue
                comparison = compare_keys(found.checkpoint.chosen, report.state)
                note = f"the model runs with {shown_path(group.interpreter.path)}, {group.interpreter.why}"
                made_up = _list_made_up(report.model)
                return replace(found, comparison=comparison, made_up=made_up, notes=(note,))
    cause = f"{failure.stage}: {failure.cause}" if failure else f"{path} defines no {name}"
    raise NoModelError(f"{request.model} could not be built: {cause}")


def _list_made_up(model: Model | None) -> dict[str, str]:
    if model is None:
        return {}
    return {name: str(model.arguments.get(name, "…")) for name in model.made_up}
