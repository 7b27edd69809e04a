"""Runs one model of a file for the server, and exports it where that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lintorch.run.request import CheckRequest
from lintorch.run.run_models import run_models
from lintorch.run.scope import Scope
from lintorch.server.jobs import Ran, RunJob

_NOTHING = "no model of this name was found, or it is a part of another one that ran"


def run_model(job: RunJob, request: CheckRequest, tell: Callable[[str], None]) -> Ran:
    """What the run says, by rules that are on for the file. Raises SettingsError or CatalogError."""
    scope = Scope(replace(request, paths=(job.path,)))
    exporters = tuple(sorted(scope.profile_of(job.path).exporters)) if job.exports else ()
    models = replace(
        request.models, only=(f"{job.path}:{job.qualname}",), trace=True, exporters=exporters
    )
    asked = replace(request, paths=(job.path,), models=models)
    found = run_models([job.path], job.known, asked, Scope(asked), tell)
    said = tuple(f for f in found.findings if f.code in scope.codes_of(f.place.path))
    errors = found.errors or (() if found.lines or said else (f"{job.qualname}: {_NOTHING}",))
    return Ran(said, found.lines, errors)
