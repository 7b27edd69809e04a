"""What tells a finding from every other of a report, and stays when its line moves."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

from lintorch.core.finding import Finding
from lintorch.core.text_rows import split_rows
from lintorch.report.places import repository_path
from lintorch.report.result import Result


def mark_findings(report: Result) -> Iterator[tuple[Finding, str]]:
    """Each finding with its fingerprint: of its rule, file, line as it reads, and how often before."""
    seen: Counter[tuple[str, ...]] = Counter()
    for finding in report.findings:
        file, line = repository_path(finding.place.path), _read_line(finding, report)
        said = (finding.code, file, line, finding.target or "")
        seen[said] += 1
        text = "\0".join((*said, str(seen[said])))
        yield finding, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read_line(finding: Finding, report: Result) -> str:
    """The line without its indentation; what is said of it where its text is unknown."""
    lines = split_rows(report.text(finding.place) or "").lines
    row = finding.place.row
    return lines[row - 1].strip() if 0 < row <= len(lines) else finding.said
