"""The models of files, found, built and fed, with nothing traced."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, replace

from lintorch.host.examine import Plan
from lintorch.record.trace import Failure, Model
from lintorch.report.places import shown_path
from lintorch.run.given_files import list_files
from lintorch.run.model_settings import Written, add_models
from lintorch.run.request import Order, Progress
from lintorch.run.run_models import examined, plans
from lintorch.run.scope import Scope


@dataclass(frozen=True)
class Listed:
    """Models that ran, and what became of those that did not."""

    models: tuple[Model, ...] = ()
    failures: tuple[Failure, ...] = ()
    errors: tuple[str, ...] = ()
    written: tuple[Written, ...] = ()
    notes: tuple[str, ...] = ()
    files: int = 0
    """How many were looked through."""


def list_models(asked: Order, progress: Progress, write: bool = False) -> Listed:
    """With `write`, what was inferred is added to the settings.

    Raises SettingsError, CatalogError, or WorkerError where no model can be run at all, and
    NotWritten where the settings cannot be written.
    """
    scope = Scope(asked)
    files = list_files(asked, scope)
    listed = Listed(errors=files.errors, notes=files.notes, files=len(files.paths))
    for plan in plans(files.paths, asked, scope):
        with closing(examined(plan, progress)) as found:
            reports = list(found)
        ran = tuple(report.model for report in reports if report.model)
        failures = tuple(report.failure for report in reports if report.failure)
        written = _written(plan, ran, scope) if write else ()
        listed = replace(
            listed,
            models=listed.models + ran,
            failures=listed.failures + failures,
            written=listed.written + written,
            notes=(*listed.notes, f"models run with {shown_path(plan.python)}, {plan.why_python}"),
        )
    return listed


def _written(plan: Plan, ran: tuple[Model, ...], scope: Scope) -> tuple[Written, ...]:
    """What was added to the settings of these files: of models that these do not hold yet."""
    settings = scope.settings(plan.files[0])
    inferred = [model for model in ran if model.factory and model.qualname not in settings.models]
    file = settings.file or os.path.join(plan.project, "pyproject.toml")
    added = add_models(file, inferred, settings.models) if inferred else None
    return (added,) if added and added.names else ()
