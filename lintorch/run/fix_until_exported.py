"""Looks for the fewest fixes after which the models of a file export right with one exporter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lintorch.core.codes import MODEL_NOT_BUILT, MODEL_STOPPED, SYNTAX_ERROR
from lintorch.core.finding import Evidence, Finding
from lintorch.files import FileText, read_file
from lintorch.report.places import shown_path
from lintorch.report.wording import write_message
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.entered_fixes import list_mendings
from lintorch.run.export_proofs import ExportProofs, FixedExport
from lintorch.run.request import CheckRequest, Progress
from lintorch.run.scope import Scope


def fix_until_exported(request: CheckRequest, progress: Progress) -> FixedExport:
    """Try the fixes of the one file of the request, and of what its models run through; writes nothing.

    Only fixes of what an exporter may meet are tried, and of these those taken after which models compute
    the same, rounding aside. Raises SettingsError, CatalogError, WorkerError, and what a rule raises.
    """
    request = replace(request, keep_trials=True, only_exports=True)
    scope, path = Scope(request), request.paths[0]
    seen = check_files(request, scope, progress)
    if seen.errors or path not in seen.paths:
        return FixedExport(errors=seen.errors or (f"{path}: no file to be checked",))
    exporter = request.models.exporters[0]
    failed = [*_list_failed(seen.standing, exporter)]
    if not failed:
        return _tell_unfailed(path, exporter, seen)
    text = seen.texts.get(path) or read_file(path)
    if not isinstance(text, FileText):
        return FixedExport(errors=(f"{path}: {text.cause}",))
    told: list[str] = []
    with ExportProofs(text, seen, request, scope, progress) as proofs:
        for eager in (False, True):
            mendings = list_mendings(text, seen, scope, request, progress, eager)
            come = proofs.mend_export(mendings) if mendings else FixedExport()
            if come.is_right:
                return come
            told += come.told
    return FixedExport(told=(*dict.fromkeys(told), *_tell_uncovered(failed)))


def _list_failed(findings: tuple[Finding, ...], exporter: str) -> Iterator[Finding]:
    """What trial exports with this exporter showed."""
    for finding in findings:
        if finding.evidence is Evidence.EXPORT and finding.exporter in (exporter, None):
            yield finding


def _tell_unfailed(path: str, exporter: str, seen: CheckedFiles) -> FixedExport:
    """What is said where no export went wrong: it is right, or none was made."""
    outcomes = (trial.outcome for trial in seen.trials)
    statuses = {each.status for each in outcomes if each.exporter == exporter}
    if statuses == {"ok"}:
        return FixedExport(told=(f"{exporter} is right already",), is_right=True)
    came = f"{exporter} came out {', '.join(sorted(statuses))}"
    why = came if statuses else "no model of the file could be run and exported"
    reasons = [each for each in seen.standing if each.code in _REASONS]
    return FixedExport(errors=(f"{path}: {why}", *_tell_findings(reasons)))


_REASONS = (SYNTAX_ERROR, MODEL_NOT_BUILT, MODEL_STOPPED)
"""Findings that say why a model is not exported."""


def _tell_uncovered(failed: list[Finding]) -> Iterator[str]:
    yield "no fix that keeps the numbers makes the export right; it goes wrong here:"
    yield from _tell_findings(failed)


def _tell_findings(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        where = f"{shown_path(finding.place.path)}:{finding.place.row}"
        yield f"{where}: {finding.code} {finding.name}: {write_message(finding)}"
