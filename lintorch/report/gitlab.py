"""GitLab's code quality report."""

from __future__ import annotations

import json
from typing import Any, TextIO

from lintorch.core.finding import Finding, Severity
from lintorch.report.fingerprints import mark_findings
from lintorch.report.places import find_end, find_start, repository_path
from lintorch.report.result import Result
from lintorch.report.wording import write_message

_SEVERITY = {Severity.NOTE: "info", Severity.WARNING: "minor", Severity.ERROR: "major"}


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write an array of issues, in ASCII, with paths from the repository's root."""
    issues = [_issue_values(found, mark, report) for found, mark in mark_findings(report)]
    json.dump(issues, out, indent=2)
    out.write("\n")


def _issue_values(finding: Finding, fingerprint: str, report: Result) -> dict[str, Any]:
    url = report.urls.get(finding.code)
    begin, end = find_start(finding.place), find_end(finding.place)
    return {
        "type": "issue",
        "check_name": finding.code,
        "description": f"{finding.code}: {write_message(finding)}",
        "content": {"body": f"{finding.name}: {url}" if url else finding.name},
        "categories": ["Bug Risk"],
        "severity": _SEVERITY[finding.severity],
        "fingerprint": fingerprint,
        "location": {
            "path": repository_path(finding.place.path),
            "positions": {
                "begin": {"line": begin[0], "column": begin[1]},
                "end": {"line": end[0], "column": end[1]},
            },
        },
    }
