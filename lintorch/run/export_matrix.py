"""The matrix of `export`: every model found through every exporter asked for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace

from lintorch.catalog import Catalog
from lintorch.core.dispatch import Index, index_detectors
from lintorch.core.finding import Evidence
from lintorch.core.merge import merge_findings
from lintorch.core.profile import EXPORTERS, Profile
from lintorch.evidence import Trace
from lintorch.files import FileText, UnreadableFile
from lintorch.host.reports import Report
from lintorch.machine.stopping import defer_signals
from lintorch.record.outcomes import Outcome
from lintorch.report.matrix import Matrix, Row, Tried
from lintorch.run.foretell_opsets import foretell_graph, list_runtimes
from lintorch.run.given_files import list_files
from lintorch.run.judge_reports import judge_outcome, report_failure
from lintorch.run.place_artifacts import place_artifacts
from lintorch.run.place_row_in_cells import place_row_in_cells
from lintorch.run.project_models import ProjectModels, group_models
from lintorch.run.read_notebooks import find_cell_rows
from lintorch.run.request import ExportRequest, Progress
from lintorch.run.scope import Scope


def export_models(request: ExportRequest, progress: Progress) -> Matrix:
    """Try every export. What is wanted is written when all are done, or not at all.

    Raises SettingsError, CatalogError, OSError, or WorkerError where no model can be run.
    """
    scope = Scope(request)
    files = list_files(request, scope)
    paths = files.paths
    rows: list[Row] = []
    exporters: dict[str, None] = {}
    notebooks: dict[str, FileText | UnreadableFile] = {}
    with _make_staging(request.output or "") as staging:
        for group in group_models(paths, request, scope):
            options = replace(
                group.options,
                trace=True,
                graphs=False,
                axes=False,
                exporters=group.options.exporters or _deployed_exporters(group),
                artifacts=staging,
                scripts=bool(request.repro),
                processes=1 if group.options.timed else group.options.processes,
            )
            exporters |= dict.fromkeys(options.exporters)
            tried = _try_exports(replace(group, options=options), scope.catalog, progress)
            rows += (place_row_in_cells(row, group.notebooks) for row in tried)
            notebooks |= group.notebooks
        with defer_signals():
            placed = place_artifacts(rows, request)
    targets = scope.profile_of(paths[0]).targets if paths else ()
    judged = tuple(
        replace(row, tried=tuple(one for each in row.tried for one in each.judge_for(targets)))
        for row in placed
    )
    columns = dict.fromkeys(each.column for row in judged for each in row.tried)
    notes, cells = (*files.notes, *scope.unloaded_notes), find_cell_rows(notebooks)
    return Matrix(
        tuple(columns) or tuple(exporters), judged, files.errors, notes, len(paths), cells
    )


@contextmanager
def _make_staging(output: str) -> Iterator[str]:
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


def _deployed_exporters(group: ProjectModels) -> tuple[str, ...]:
    """What the project deploys with, in the order of the table."""
    return tuple(name for name in EXPORTERS if name in group.profile.exporters)


def _try_exports(group: ProjectModels, rules: Catalog, progress: Progress) -> Iterator[Row]:
    detectors = index_detectors(rules.rules.values(), Evidence.EXPORT)
    with closing(group.examine_files(progress)) as reports:
        for report in reports:
            yield _make_row(group.place_failure(report), group.profile, rules, detectors)


def _make_row(report: Report, profile: Profile, rules: Catalog, detectors: Index) -> Row:
    problem = None if report.failure is None else report_failure(report.failure, rules)
    if report.model is None:
        return Row(None, report.failure, problem)
    trace = Trace(report.model, report.runs, report.captures, profile)
    each = (
        Tried(
            outcome,
            merge_findings(judge_outcome(outcome, trace, detectors, rules)).standing
            if _is_asked(outcome)
            else (),
            needs=None
            if outcome.precision
            else foretell_graph(outcome, list_runtimes(profile.targets)),
        )
        for outcome in report.outcomes
    )
    return Row(report.model, report.failure, problem, tuple(each), report.timing)


def _is_asked(outcome: Outcome) -> bool:
    """Whether rules are asked: what a type does to numbers, and which kernels a runtime lacks for it, they do not know."""
    return not outcome.precision or outcome.stage == "export"
