"""The matrix of `export`: every model found through every exporter asked for."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace

from lintorch.catalog import Catalog
from lintorch.core.dispatch import Index, index_detectors
from lintorch.core.finding import Evidence, Finding
from lintorch.core.merge import merge_findings
from lintorch.core.profile import EXPORTERS, Profile
from lintorch.evidence import Trace
from lintorch.files import FileText, UnreadableFile
from lintorch.host.reports import Report
from lintorch.machine.stopping import defer_signals
from lintorch.record.outcomes import Outcome
from lintorch.report.matrix import Matrix, Row, Tried
from lintorch.report.model_graph import Line
from lintorch.run.code_link import find_code_link
from lintorch.run.draw_graph import draw_graph, list_lines, mark_nodes
from lintorch.run.find_in_files import find_in_files
from lintorch.run.foretell_opsets import foretell_graph, list_runtimes
from lintorch.run.given_files import list_files
from lintorch.run.judge_reports import judge_outcome, judge_reports, report_failure
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
    told = _Told()
    exporters: dict[str, None] = {}
    unkept: list[str] = []
    notebooks: dict[str, FileText | UnreadableFile] = {}
    with _make_staging(request.output or "") as staging:
        for number, group in enumerate(group_models(paths, request, scope)):
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
            group = replace(group, options=options)
            tried = _try_exports(group, scope.catalog, progress, request)
            rows += (
                place_row_in_cells(replace(row, place=(number, row.place[1])), group.notebooks)
                for row in tried.rows
            )
            told = told.join(tried)
            notebooks |= group.notebooks
            unkept += group.kept.notes if group.kept else ()
        with defer_signals():
            placed = place_artifacts(rows, request)
    targets = scope.profile_of(paths[0]).targets if paths else ()
    judged = tuple(
        replace(row, tried=tuple(one for each in row.tried for one in each.judge_for(targets)))
        for row in placed
    )
    columns = dict.fromkeys(each.column for row in judged for each in row.tried)
    notes, cells = (
        (*files.notes, *scope.unloaded_notes, *dict.fromkeys(unkept)),
        find_cell_rows(notebooks),
    )
    matrix = Matrix(
        tuple(columns) or tuple(exporters), judged, files.errors, notes, len(paths), cells
    )
    matrix = replace(matrix, shard=request.shard)
    return _explain_matrix(matrix, told, request, scope, progress)


def _explain_matrix(
    matrix: Matrix, told: _Told, request: ExportRequest, scope: Scope, progress: Progress
) -> Matrix:
    """With what source, runs and trials say of the files of the models, where that is wanted."""
    if not request.tells_findings:
        return matrix
    spoken = (*(row.path for row in matrix.rows), *(f.place.path for f in told.findings))
    paths = [path for path in dict.fromkeys(spoken) if os.path.isfile(path)]
    shown = {node.site.path for row in matrix.rows if row.graph for node in row.graph.nodes}
    shown |= {e.outcome.site.path for row in matrix.rows for e in row.tried if e.outcome.site}
    asked = replace(request, models=replace(request.models, trace=True))
    found = find_in_files(paths, told.findings, {*paths, *shown}, asked, scope, progress)
    rows = (
        replace(row, findings=found.choose_for(f"{row.path}:{row.qualname}", lines))
        for row, lines in zip(matrix.rows, told.lines, strict=True)
    )
    link = find_code_link(os.environ)
    return replace(matrix, rows=tuple(rows), checked=found.result, link=link)


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


@dataclass(frozen=True)
class _Told:
    """What models came to: rows, the lines that each runs, and findings of all together."""

    rows: tuple[Row, ...] = ()
    lines: tuple[frozenset[Line], ...] = ()
    findings: tuple[Finding, ...] = ()

    def join(self, other: _Told) -> _Told:
        """With what those of another project came to."""
        return _Told(
            self.rows + other.rows, self.lines + other.lines, self.findings + other.findings
        )


def _try_exports(
    group: ProjectModels, rules: Catalog, progress: Progress, request: ExportRequest
) -> _Told:
    """Each report becomes a row, and is let go; where findings are told, what it says is kept."""
    judged, dynamic = request.tells_findings, group.options.dynamic
    detectors = index_detectors(rules.rules.values(), Evidence.EXPORT)
    rows: list[Row] = []
    lines: list[frozenset[Line]] = []
    said: dict[int, tuple[Finding, ...]] = {}
    """Of the report in hand, by its outcomes: each is judged once."""

    def note_report(report: Report) -> Report:
        placed = group.place_failure(report)
        said.clear()
        said.update(_judge_outcomes(placed, group, rules, detectors))
        row = _make_row(placed, group.profile, rules, said)
        rows.append(replace(row, place=(0, placed.place)))
        lines.append(frozenset(list_lines(placed.runs)) if judged else frozenset())
        return placed

    findings: tuple[Finding, ...] = ()
    with closing(group.examine_files(progress, request.shard)) as reports:
        noted = map(note_report, reports)
        if judged:
            find_said = lambda outcome: said[id(outcome)]  # noqa: E731
            findings = judge_reports(
                noted, rules, group.profile, dynamic=dynamic, judge=find_said
            ).findings
        deque(noted, maxlen=0)
    return _Told(tuple(rows), tuple(lines), findings)


def _judge_outcomes(
    report: Report, group: ProjectModels, rules: Catalog, detectors: Index
) -> Iterator[tuple[int, tuple[Finding, ...]]]:
    """By the identity of each outcome, what the rules say of it."""
    if report.model is None:
        return
    runs = report.runs if group.options.dynamic else report.runs[:1]
    trace = Trace(report.model, runs, report.captures, group.profile)
    for outcome in report.outcomes:
        asked = _is_asked(outcome)
        found = judge_outcome(outcome, trace, detectors, rules) if asked else ()
        yield id(outcome), tuple(found)


def _make_row(
    report: Report, profile: Profile, rules: Catalog, said: Mapping[int, tuple[Finding, ...]]
) -> Row:
    problem = None if report.failure is None else report_failure(report.failure, rules)
    if report.model is None:
        return Row(None, report.failure, problem)
    each = tuple(
        Tried(
            outcome,
            merge_findings(said[id(outcome)]).standing,
            needs=None
            if outcome.precision
            else foretell_graph(outcome, list_runtimes(profile.targets)),
        )
        for outcome in report.outcomes
    )
    graph = draw_graph(report.runs, each)
    tried = mark_nodes(graph, each)
    return Row(report.model, report.failure, problem, tried, graph=graph, timing=report.timing)


def _is_asked(outcome: Outcome) -> bool:
    """Whether rules are asked: what a type does to numbers, and which kernels a runtime lacks for it, they do not know."""
    return not outcome.precision or outcome.stage == "export"
