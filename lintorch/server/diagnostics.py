"""Findings as editors show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lsprotocol import types

from lintorch.core.finding import Finding, Severity
from lintorch.report.wording import write_message, write_notes
from lintorch.server.documents import OpenDocument, Units

SOURCE = "lintorch"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_TAGS = {
    "unused-": types.DiagnosticTag.Unnecessary,
    "retired-": types.DiagnosticTag.Deprecated,
    "legacy-": types.DiagnosticTag.Deprecated,
    "dead-": types.DiagnosticTag.Deprecated,
}
"""By how the name of a rule begins."""


def make_diagnostics(
    document: OpenDocument, findings: Iterable[Finding], urls: Mapping[str, str], units: Units
) -> dict[str, list[types.Diagnostic]]:
    """Those of each document of the editor, also where there is none."""
    found: dict[str, list[types.Diagnostic]] = {sheet.uri: [] for sheet in document.sheets}
    for finding in findings:
        uri, where = document.place_range(finding.place, units)
        url = urls.get(finding.code)
        found[uri].append(
            types.Diagnostic(
                where,
                write_message(finding),
                severity=_SEVERITIES[finding.severity],
                code=finding.code,
                code_description=types.CodeDescription(url) if url else None,
                source=SOURCE,
                tags=[tag for begin, tag in _TAGS.items() if finding.name.startswith(begin)],
                related_information=list(_list_related(document, finding, units)),
            )
        )
    return found


def _list_related(
    document: OpenDocument, finding: Finding, units: Units
) -> Iterator[types.DiagnosticRelatedInformation]:
    """The other places of a finding, and what each piece of evidence says."""
    for place in finding.also:
        uri, where = document.place_range(place, units)
        yield types.DiagnosticRelatedInformation(types.Location(uri, where), "here too")
    for evidence, said in write_notes(finding):
        uri, where = document.place_range(finding.place, units)
        yield types.DiagnosticRelatedInformation(types.Location(uri, where), f"{evidence}: {said}")
