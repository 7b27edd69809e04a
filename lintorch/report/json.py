"""The findings as a JSON array, for programs."""

from __future__ import annotations

import json
from typing import Any, TextIO

from lintorch.core.finding import Finding, Fix
from lintorch.report.places import end, shown_model, shown_path, start
from lintorch.report.result import Result
from lintorch.report.text_rows import rows_of


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the array in ASCII, so that its bytes are the same whatever the stream's encoding.

    `cell`, `url` and `verified` are kept for notebooks, pages and verification: always null.
    """
    json.dump([_finding(finding, report) for finding in report.findings], out, indent=2)
    out.write("\n")


def _finding(finding: Finding, report: Result) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "severity": str(finding.severity),
        "evidence": str(finding.evidence),
        "filename": shown_path(finding.place.path),
        "cell": None,
        "location": _position(start(finding.place)),
        "end_location": _position(end(finding.place)),
        "model": finding.model and shown_model(finding.model),
        "target": finding.target,
        "url": None,
        "fix": finding.fix and _fix(finding.fix, report.text(finding.place)),
    }


def _fix(fix: Fix, text: str | None) -> dict[str, Any]:
    return {
        "applicability": str(fix.applicability),
        "message": fix.message,
        "verified": None,
        "edits": _edits(fix, text),
    }


def _edits(fix: Fix, text: str | None) -> list[dict[str, Any]]:
    """The edits by row and column; none where the text they count in is unknown or has shrunk."""
    if text is None or any(edit.end > len(text) for edit in fix.edits):
        return []
    rows = rows_of(text)
    return [
        {
            "content": edit.content,
            "location": _position(rows.position(edit.start)),
            "end_location": _position(rows.position(edit.end)),
        }
        for edit in fix.edits
    ]


def _position(position: tuple[int, int]) -> dict[str, int]:
    return dict(zip(("row", "column"), position, strict=True))
