"""The models of files, found, built and fed, with nothing traced."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lintorch.models.examine import examine
from lintorch.run.look import listed_files
from lintorch.run.order import Order, Progress
from lintorch.run.running import plans
from lintorch.run.scope import Scope
from lintorch.trace.record import Failure, Model


@dataclass(frozen=True)
class Listed:
    """Models that ran, and what became of those that did not."""

    models: tuple[Model, ...] = ()
    failures: tuple[Failure, ...] = ()
    errors: tuple[str, ...] = ()


def list_models(asked: Order, progress: Progress) -> Listed:
    """Raises SettingsError, CatalogError, or WorkerError where no model can be run at all."""
    scope = Scope(asked)
    paths, errors = listed_files(asked, scope)
    listed = Listed(errors=errors)
    for plan in plans(paths, asked, scope):
        for report in examine(plan, progress):
            listed = replace(
                listed,
                models=(*listed.models, *((report.model,) if report.model else ())),
                failures=(*listed.failures, *((report.failure,) if report.failure else ())),
            )
    return listed
