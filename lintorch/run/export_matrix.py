"""The matrix of `export`: every model found through every exporter asked for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace

from lintorch.core.dispatch import Index, index
from lintorch.core.finding import Evidence
from lintorch.core.merge import merge
from lintorch.core.profile import EXPORTERS
from lintorch.evidence import Trace
from lintorch.host.examine import Plan, Report
from lintorch.machine.stopping import unbroken
from lintorch.report.matrix import Matrix, Row, Tried
from lintorch.run.artifacts import Wanted, put
from lintorch.run.given_files import list_files
from lintorch.run.request import Order, Progress
from lintorch.run.run_models import at_home, examined, failed, plans, tried
from lintorch.run.scope import Scope


def export_models(asked: Order, wanted: Wanted, progress: Progress) -> Matrix:
    """Try every export. What is wanted is written when all are done, or not at all.

    Raises SettingsError, CatalogError, OSError, or WorkerError where no model can be run.
    """
    scope = Scope(asked)
    files = list_files(asked, scope)
    paths = files.paths
    rows: list[Row] = []
    exporters: dict[str, None] = {}
    with _staging(wanted.output) as staging:
        for bare in plans(paths, asked, scope):
            plan = replace(
                bare,
                graphs=False,
                exporters=asked.exporters or _deployed(bare, scope),
                artifacts=staging,
                scripts=bool(wanted.scripts),
            )
            exporters |= dict.fromkeys(plan.exporters)
            rows += _rows(plan, scope, progress)
        with unbroken():
            placed = put(rows, wanted)
    targets = scope.profile(paths[0]).targets if paths else ()
    judged = tuple(
        replace(row, tried=tuple(one for each in row.tried for one in each.judged(targets)))
        for row in placed
    )
    columns = dict.fromkeys(each.column for row in judged for each in row.tried)
    notes = (*files.notes, *scope.notes)
    return Matrix(tuple(columns) or tuple(exporters), judged, files.errors, notes, len(paths))


@contextmanager
def _staging(output: str) -> Iterator[str]:
    """A folder inside the one for artifacts, so that putting them in place copies nothing.

    The one for artifacts is made, and goes again where it stays empty.
    """
    if not output:
        yield ""
        return
    made = not os.path.isdir(output)
    os.makedirs(output, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(
            prefix=".lintorch-", dir=os.path.abspath(output), ignore_cleanup_errors=True
        ) as folder:
            yield folder
    finally:
        if made:
            with suppress(OSError):
                os.rmdir(output)


def _deployed(plan: Plan, scope: Scope) -> tuple[str, ...]:
    """What the project deploys with, in the order of the table."""
    used = scope.profile(plan.files[0]).exporters
    return tuple(name for name in EXPORTERS if name in used)


def _rows(plan: Plan, scope: Scope, progress: Progress) -> Iterator[Row]:
    detectors = index(scope.catalog.rules.values(), Evidence.EXPORT)
    told = scope.settings(plan.files[0]).file or plan.files[0]
    with closing(examined(plan, progress)) as reports:
        for report in reports:
            yield _row(at_home(report, told), plan, scope, detectors)


def _row(report: Report, plan: Plan, scope: Scope, detectors: Index) -> Row:
    problem = None if report.failure is None else failed(report.failure, scope.catalog)
    if report.model is None:
        return Row(None, report.failure, problem)
    trace = Trace(report.model, report.runs, report.rungs, scope.profile(plan.files[0]))
    each = (
        Tried(outcome, merge(tried(outcome, trace, detectors, scope.catalog)).standing)
        for outcome in report.outcomes
    )
    return Row(report.model, report.failure, problem, tuple(each))
