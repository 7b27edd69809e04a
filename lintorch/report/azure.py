"""Issues of a build: logging commands that Azure Pipelines reads from the log."""

from __future__ import annotations

from typing import TextIO

from lintorch.core.finding import Finding, Severity
from lintorch.report.characters import make_writable
from lintorch.report.places import find_start, repository_path, write_location
from lintorch.report.result import Result
from lintorch.report.wording import write_message

_DATA = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({";": "%3B", "]": "%5D"})


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write one `##vso[task.logissue type=error;sourcepath=…]…` command for each finding."""
    for finding in report.findings:
        out.write(make_writable(_write_issue(finding), out) + "\n")


def _write_issue(finding: Finding) -> str:
    row, column = find_start(finding.place)
    properties = {
        "type": "error" if finding.severity is Severity.ERROR else "warning",  # it has no third
        "sourcepath": repository_path(finding.place.path),
        "linenumber": str(row),
        "columnnumber": str(column),
        "code": finding.code,
    }
    written = "".join(f"{key}={value.translate(_PROPERTY)};" for key, value in properties.items())
    said = f"{write_location(finding.place)}: {finding.code} {write_message(finding)}"
    return f"##vso[task.logissue {written}]{said.translate(_DATA)}"
