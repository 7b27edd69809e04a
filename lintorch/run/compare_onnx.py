"""A model beside an .onnx file that exists: which model, what its worker tells, and the rules that speak of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lintorch.core.finding import Finding
from lintorch.host.compare_models import compare_models
from lintorch.host.reports import Report
from lintorch.host.worker_process import WorkerError
from lintorch.record.file_comparisons import FileComparison
from lintorch.record.models import Model
from lintorch.record.sites import Site
from lintorch.report.places import shown_path
from lintorch.run.lint_files import lint_path
from lintorch.run.name_models import name_models
from lintorch.run.project_models import ProjectModels, group_models
from lintorch.run.request import CompareRequest, Progress
from lintorch.run.scope import Scope

_MOST_RULES = 6


class NotComparedError(Exception):
    """The model and the file could not be compared; says why."""


@dataclass(frozen=True)
class ComparedFile:
    """A model beside a file; `rules` are findings on the lines that it names."""

    file: str
    model: Model
    found: FileComparison
    rules: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def compare_onnx(request: CompareRequest, progress: Progress) -> ComparedFile:
    """Run the model and the file. Raises NotComparedError, SettingsError, CatalogError or WorkerError."""
    if not os.path.isfile(request.file):
        raise NotComparedError(f"{request.file}: there is no such file")
    if request.checkpoint and not os.path.isfile(request.checkpoint):
        raise NotComparedError(f"{request.checkpoint}: there is no such file")
    path, name = _split_model(request.model)
    models = replace(request.models, only=(request.model,) if name else ())
    request = replace(request, models=models, paths=(path,))
    scope = Scope(request)
    group = next(iter(group_models((path,), request, scope)))
    report = _choose_report([*_run(group, request, progress)], request)
    assert report.model is not None
    assert report.beside is not None
    if report.beside.unable:
        raise NotComparedError(f"{request.file}: {report.beside.unable}")
    python = group.interpreter
    return ComparedFile(
        request.file,
        report.model,
        report.beside,
        tuple(_find_rules(report.beside, scope)),
        (f"the model and the file run with {shown_path(python.path)}, {python.why}",),
    )


def _split_model(model: str) -> tuple[str, str]:
    """`net.py` and `Net` of `net.py:Net`; "" where no model is named. Raises NotComparedError."""
    if os.path.isfile(model):
        return model, ""
    path, colon, name = model.rpartition(":")
    if not colon or not os.path.isfile(path):
        raise NotComparedError(f"{model} names no model: write file.py:Class")
    return path, name


def _run(group: ProjectModels, request: CompareRequest, progress: Progress) -> Iterator[Report]:
    try:
        yield from compare_models(
            group.files[0],
            _describe_beside(request),
            replace(group.options, trace=False, exporters=()),
            group.settings.models,
            group.interpreter.path,
            progress,
        )
    except WorkerError as error:
        raise WorkerError(f"{error} ({group.interpreter.why})") from error


def _describe_beside(request: CompareRequest) -> dict[str, Any]:
    checkpoint = os.path.realpath(request.checkpoint) if request.checkpoint else ""
    file = os.path.realpath(request.file)
    return {"file": file, "checkpoint": checkpoint, "own": request.own_weights}


def _choose_report(reports: Sequence[Report], request: CompareRequest) -> Report:
    """That of the model whose weights the file has, where no model is named. Raises NotComparedError."""
    compared = [
        r for r in reports if r.beside is not None and r.model is not None and not r.failure
    ]
    able = [r for r in compared if r.beside and not r.beside.unable]
    if len(able) > 1:
        most = max(r.beside.matched for r in able if r.beside)
        able = [r for r in able if r.beside and r.beside.matched == most]
    if len(able) == 1:
        return able[0]
    if len(able) > 1:
        names = ", ".join(f"{r.model.path}:{r.model.qualname}" for r in able if r.model)
        raise NotComparedError(f"{request.model} has several models, name one: {names}")
    if compared:
        return compared[0]
    failure = next((r.failure for r in reports if r.failure is not None), None)
    if failure is None:
        raise NotComparedError(
            f"{request.model}: no such model was found; FILE:CLASS names a class of nn.Module ({name_models(_split_model(request.model)[0])}), FILE alone takes all of them"
        )
    if failure.stage == "stopped":
        raise NotComparedError(f"{request.model} beside {request.file}: {failure.cause}")
    raise NotComparedError(f"{request.model} could not be run: {failure.stage}: {failure.cause}")


def _find_rules(found: FileComparison, scope: Scope) -> Iterator[Finding]:
    """Findings of the source on the lines that the comparison names, the first ones."""
    sites = [s for s in _list_sites(found) if s is not None and os.path.isfile(s.path)]
    places = {(site.path, site.row) for site in sites}
    count = 0
    for path in dict.fromkeys(site.path for site in sites):
        for finding in lint_path(scope.make_task(path)).findings:
            if (path, finding.place.row) in places and count < _MOST_RULES:
                count += 1
                yield finding


def _list_sites(found: FileComparison) -> Iterator[Site | None]:
    yield found.between
    yield from (cause.site for cause in found.causes if cause.wrong)
    if found.first is not None:
        yield found.first.called
        yield found.first.built
