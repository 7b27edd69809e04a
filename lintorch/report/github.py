"""Annotations on a pull request: workflow commands that GitHub Actions reads from the log."""

from __future__ import annotations

from typing import TextIO

from lintorch.core.finding import Finding, Place, Severity
from lintorch.report.characters import writable
from lintorch.report.places import end, shown_path, start
from lintorch.report.result import Result

_COMMAND = {Severity.NOTE: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write one `::error file=…,line=…::message` command for each finding and nothing else."""
    for finding in report.findings:
        out.write(writable(_annotation(finding), out) + "\n")


def _annotation(finding: Finding) -> str:
    title = f"lintorch ({finding.code})"
    place = {"file": shown_path(finding.place.path), **_span(finding.place), "title": title}
    properties = ",".join(f"{key}={value.translate(_PROPERTY)}" for key, value in place.items())
    return f"::{_COMMAND[finding.severity]} {properties}::{finding.message.translate(_DATA)}"


def _span(place: Place) -> dict[str, str]:
    """Lines, and columns where there is one line: GitHub refuses columns of several lines."""
    (row, column), (end_row, end_column) = start(place), end(place)
    lines = {"line": str(row), "endLine": str(end_row)}
    if row != end_row:
        return lines
    return {**lines, "col": str(column), "endColumn": str(end_column)}
