"""Runs the models of checked files, project by project."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace

from lintorch.core.finding import Finding
from lintorch.host.worker_process import WorkerError
from lintorch.run.judge_reports import ModelFindings, judge_reports
from lintorch.run.project_models import group_models
from lintorch.run.read_notebooks import find_cell_rows
from lintorch.run.request import Progress, Request
from lintorch.run.scope import Scope
from lintorch.run.tell_work import tell_interpreter, tell_tracebacks


def run_models(
    paths: Iterable[str],
    known: Iterable[Finding],
    request: Request,
    scope: Scope,
    progress: Progress,
) -> ModelFindings:
    """Run the models of these files, project by project; where no worker can be had, an error.

    What source findings are `known` to say of a model and an exporter is tried as well.
    """
    ran = ModelFindings()
    in_training = tuple((f.model, f.exporter) for f in known if f.model and f.exporter)
    try:
        for group in group_models(paths, request, scope, in_training):
            tell_interpreter(group, request, progress)
            with closing(group.examine_files(progress)) as examined:
                told = tell_tracebacks(examined, request, progress)
                reports = map(group.place_failure, told)
                dynamic = group.options.dynamic
                found = judge_reports(
                    reports, scope.catalog, group.profile, dynamic=dynamic, keep=request.keep_trials
                )
            rows = find_cell_rows(group.notebooks)
            lines = tuple(map(rows.rewrite_text, found.lines))
            ran = ModelFindings(
                ran.findings + found.findings,
                ran.lines + lines,
                trials=ran.trials + found.trials,
                notes=ran.notes + (group.kept.notes if group.kept else ()),
            )
    except WorkerError as error:
        return replace(ran, errors=(str(error),))
    return ran
