"""The models of files, found, built and fed, with nothing traced."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace

from lintorch.core.cell_rows import CellRows
from lintorch.record.models import Failure, Model
from lintorch.report.forecast import ModelForecast
from lintorch.report.places import shown_path
from lintorch.run.foretell_opsets import foretell_source, list_runtimes
from lintorch.run.given_files import list_files
from lintorch.run.model_settings import ModelsAdded, add_models
from lintorch.run.place_row_in_cells import write_failure_by_cells, write_model_by_cells
from lintorch.run.project_models import ProjectModels, group_models
from lintorch.run.read_notebooks import find_cell_rows
from lintorch.run.request import ModelsRequest, Progress
from lintorch.run.scope import Scope


@dataclass(frozen=True)
class ListedModels:
    """Models that ran, and what became of those that did not."""

    models: tuple[Model, ...] = ()
    failures: tuple[Failure, ...] = ()
    errors: tuple[str, ...] = ()
    written: tuple[ModelsAdded, ...] = ()
    notes: tuple[str, ...] = ()
    files: int = 0
    """How many were looked through."""
    needs: Mapping[tuple[str, str], ModelForecast] = field(default_factory=dict)
    """By path and name: the opset and the runtimes that a model needs, as far as its source tells."""
    cells: CellRows = field(default_factory=CellRows)
    """Of notebooks, whose rows above count in the modules of their cells."""


def list_models(request: ModelsRequest, progress: Progress) -> ListedModels:
    """The models of the files; where that is asked for, what was inferred is added to the settings.

    Raises SettingsError, CatalogError, or WorkerError where no model can be run at all, and
    NotWritten where the settings cannot be written.
    """
    scope = Scope(request)
    files = list_files(request, scope)
    listed = ListedModels(errors=files.errors, notes=files.notes, files=len(files.paths))
    for group in group_models(files.paths, request, scope):
        with closing(group.examine_files(progress)) as examined:
            reports = list(examined)
        cells = find_cell_rows(group.notebooks)
        ran = tuple(write_model_by_cells(r.model, cells) for r in reports if r.model)
        failures = tuple(write_failure_by_cells(r.failure, cells) for r in reports if r.failure)
        written = _write_settings(group, ran, failures) if request.write else ()
        python = group.interpreter
        listed = replace(
            listed,
            models=listed.models + ran,
            needs={**listed.needs, **_foretell_models(ran, group)},
            failures=listed.failures + failures,
            written=listed.written + written,
            notes=(*listed.notes, f"models run with {shown_path(python.path)}, {python.why}"),
            cells=CellRows({**listed.cells.starts, **cells.starts}),
        )
    return listed


def _foretell_models(
    models: tuple[Model, ...], group: ProjectModels
) -> dict[tuple[str, str], ModelForecast]:
    """Of those in Python files."""
    runtimes = list_runtimes(group.profile.targets)
    paths = dict.fromkeys(m.path for m in models if m.path not in group.notebooks)
    found = {path: foretell_source(path, runtimes) for path in paths}
    named = ((m.path, m.qualname) for m in models)
    return {(p, n): found[p][n] for p, n in named if n in found.get(p, {})}


def _write_settings(
    group: ProjectModels, ran: tuple[Model, ...], failures: tuple[Failure, ...]
) -> tuple[ModelsAdded, ...]:
    """What was added to the settings of these files: of models that these do not hold yet."""
    settings = group.settings
    inferred = [
        model
        for model in ran
        if model.factory and not model.purpose and model.qualname not in settings.models
    ]
    file = settings.file or os.path.join(group.folder, "pyproject.toml")
    missing = [each for each in failures if each.qualname not in settings.models]
    if not inferred and not missing:
        return ()
    added = add_models(file, inferred, settings.models, missing, group.folder)
    return (added,) if added.names or added.open else ()
