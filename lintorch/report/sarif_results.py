"""Findings as results of SARIF: where, how they go with each exporter, in which model, and the fix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from lintorch.core.finding import Finding, Fix, Place, Severity
from lintorch.core.text_rows import Rows, split_rows
from lintorch.report.harm_by_exporter import sum_up_harm
from lintorch.report.json import TREATMENT
from lintorch.report.places import find_end, find_start, repository_path
from lintorch.report.result import Result
from lintorch.report.wording import write_message

LEVELS = {Severity.NOTE: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}


def result_values(finding: Finding, mark: str, index: int, report: Result) -> dict[str, Any]:
    """A result; `index` is that of its rule in the run's list."""
    values: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": write_message(finding)},
        "locations": [{"physicalLocation": _place_values(finding.place)}],
        "partialFingerprints": {"lintorch/v1": mark},
        "properties": {"evidence": str(finding.evidence), "target": finding.target},
    }
    if related := list(_related_locations(finding)):
        values["relatedLocations"] = [
            {"id": number, **each} for number, each in enumerate(related, 1)
        ]
    if finding.fix and (fix := _fix_values(finding.fix, finding.place, report)):
        values["fixes"] = [fix]
    return values


def _related_locations(finding: Finding) -> Iterator[dict[str, Any]]:
    """The model that showed it, then the place once for each exporter of which anything is known."""
    if finding.model:
        path, _, qualname = finding.model.rpartition(":")
        named = {"fullyQualifiedName": qualname, "kind": "type"}
        yield {
            "message": {"text": f"shown by running {qualname}"},
            "physicalLocation": {"artifactLocation": _file_values(path or finding.place.path)},
            "logicalLocations": [named],
        }
    for exporter, harm in sum_up_harm(finding).items():
        yield {
            "message": {"text": f"under {exporter}: {TREATMENT[harm]}"},
            "physicalLocation": _place_values(finding.place),
            "logicalLocations": [{"name": exporter, "kind": "exporter"}],
        }


def _fix_values(fix: Fix, place: Place, report: Result) -> dict[str, Any] | None:
    """None where the text that its edits count in is unknown or has shrunk."""
    text = report.text(place)
    if text is None or not fix.edits or any(edit.end > len(text) for edit in fix.edits):
        return None
    rows = split_rows(text)
    replacements = [
        {
            "deletedRegion": _region_values(rows, edit.start, edit.end),
            "insertedContent": {"text": edit.content},
        }
        for edit in fix.edits
    ]
    change = {"artifactLocation": _file_values(place.path), "replacements": replacements}
    return {
        "description": {"text": fix.message},
        "artifactChanges": [change],
        "properties": {
            "applicability": str(fix.applicability),
            "verified": fix.verified,
            "verification": fix.verification or None,
        },
    }


def _place_values(place: Place) -> dict[str, Any]:
    region = _span_values(find_start(place), find_end(place))
    return {"artifactLocation": _file_values(place.path), "region": region}


def _region_values(rows: Rows, start: int, end: int) -> dict[str, int]:
    return _span_values(rows.find_position(start), rows.find_position(end))


def _span_values(start: tuple[int, int], end: tuple[int, int]) -> dict[str, int]:
    keys = ("startLine", "startColumn", "endLine", "endColumn")
    return dict(zip(keys, (*start, *end), strict=True))


def _file_values(path: str) -> dict[str, str]:
    """Below the repository by its path from there, elsewhere by an absolute address."""
    inner = repository_path(path)
    if PurePosixPath(inner).is_absolute() or inner[1:2] == ":":
        return {"uri": f"file:///{_quote(inner.lstrip('/'))}"}
    return {"uri": _quote(inner), "uriBaseId": "%SRCROOT%"}


def _quote(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")
