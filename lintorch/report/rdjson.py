"""Diagnostics as reviewdog reads them: one object in its RDFormat."""

from __future__ import annotations

import json
from typing import Any, TextIO

from lintorch.core.finding import Finding, Severity
from lintorch.core.text_rows import Rows, split_rows
from lintorch.report.places import find_end, find_start, shown_path
from lintorch.report.result import Result
from lintorch.report.wording import write_message

_SEVERITY = {Severity.NOTE: "INFO", Severity.WARNING: "WARNING", Severity.ERROR: "ERROR"}


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the object in ASCII; the fix of a finding becomes its suggestions."""
    values = {
        "source": {"name": "lintorch"},
        "severity": "WARNING",
        "diagnostics": [_diagnostic_values(finding, report) for finding in report.findings],
    }
    json.dump(values, out, indent=2)
    out.write("\n")


def _diagnostic_values(finding: Finding, report: Result) -> dict[str, Any]:
    text = report.text(finding.place)
    rows = split_rows(text or "")
    url = report.urls.get(finding.code)
    values: dict[str, Any] = {
        "message": write_message(finding),
        "severity": _SEVERITY[finding.severity],
        "location": {
            "path": shown_path(finding.place.path),
            "range": _range_values(rows, find_start(finding.place), find_end(finding.place)),
        },
        "code": {"value": finding.code, **({"url": url} if url else {})},
    }
    if finding.fix and text is not None and all(e.end <= len(text) for e in finding.fix.edits):
        values["suggestions"] = [
            {
                "range": _range_values(rows, *map(rows.find_position, (edit.start, edit.end))),
                "text": edit.content,
            }
            for edit in finding.fix.edits
        ]
    return values


def _range_values(rows: Rows, start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    return {"start": _position_values(rows, start), "end": _position_values(rows, end)}


def _position_values(rows: Rows, position: tuple[int, int]) -> dict[str, int]:
    """Columns count the bytes of UTF-8; where the line is unknown, its characters."""
    row, column = position
    line = rows.lines[row - 1] if row <= len(rows.lines) else ""
    wide = len(line[: column - 1].encode("utf-8", "surrogatepass")) - len(line[: column - 1])
    return {"line": row, "column": column + wide}
