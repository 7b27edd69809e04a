"""Annotations on a pull request: workflow commands that GitHub Actions reads from the log."""

from __future__ import annotations

from typing import TextIO

from lintorch.core.finding import Finding, Place, Severity
from lintorch.report.characters import make_writable
from lintorch.report.places import find_end, find_start, repository_path, write_location
from lintorch.report.result import Result
from lintorch.report.wording import write_message

_COMMAND = {Severity.NOTE: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write one `::error file=…,line=…::path:row:col: LT101 message` command for each finding.

    The place stands in the message too: the plain log of a job shows nothing else. Files are named
    from the repository's root, as annotations need it.
    """
    for finding in report.findings:
        out.write(make_writable(_write_annotation(finding), out) + "\n")


def _write_annotation(finding: Finding) -> str:
    title = f"lintorch ({finding.code})"
    file = repository_path(finding.place.path)
    place = {"file": file, **_write_span(finding.place), "title": title}
    properties = ",".join(f"{key}={value.translate(_PROPERTY)}" for key, value in place.items())
    said = f"{write_location(finding.place)}: {finding.code} {write_message(finding)}"
    return f"::{_COMMAND[finding.severity]} {properties}::{said.translate(_DATA)}"


def _write_span(place: Place) -> dict[str, str]:
    """Lines, and columns where there is one line: GitHub refuses columns of several lines.

    It knows no cells: what is in one is put at the first line of the file.
    """
    if place.cell:
        return {"line": "1", "endLine": "1"}
    (row, column), (end_row, end_column) = find_start(place), find_end(place)
    lines = {"line": str(row), "endLine": str(end_row)}
    if row != end_row:
        return lines
    return {**lines, "col": str(column), "endColumn": str(end_column)}
