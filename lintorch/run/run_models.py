"""Runs the models of checked files, project by project."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace

from lintorch.core.finding import Finding
from lintorch.host.worker_process import WorkerError
from lintorch.run.judge_reports import ModelFindings, judge_reports
from lintorch.run.project_models import group_models
from lintorch.run.request import Progress, Request
from lintorch.run.scope import Scope


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
            with closing(group.examine_files(progress)) as examined:
                reports = map(group.place_failure, examined)
                dynamic = group.options.dynamic
                found = judge_reports(
                    reports, scope.catalog, group.profile, dynamic=dynamic, keep=request.keep_trials
                )
            ran = ModelFindings(
                ran.findings + found.findings,
                ran.lines + found.lines,
                trials=ran.trials + found.trials,
            )
    except WorkerError as error:
        return replace(ran, errors=(str(error),))
    return ran
