"""One line for each finding, as editors and grep like it, and a summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lintorch.core.finding import Finding
from lintorch.report.characters import join_lines, make_writable
from lintorch.report.places import write_location
from lintorch.report.result import Result
from lintorch.report.summary_line import mark_fix, write_repairs, write_summary
from lintorch.report.wording import write_message


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write `path:row:col: error LT101 [*] message (name)` lines, never wrapped nor coloured."""
    for line in _write_lines(report):
        out.write(make_writable(line, out) + "\n")


def _write_lines(report: Result) -> Iterator[str]:
    for finding in report.findings:
        yield _write_line(finding, mark_fix(finding, report) + write_message(finding))
    if report.show_refuted:
        for finding in report.withdrawn:
            yield _write_line(finding, f"withdrawn: {finding.refuted or write_message(finding)}")
    if not report.quiet:
        yield from map(join_lines, write_repairs(report))
        yield write_summary(report)


def _write_line(finding: Finding, said: str) -> str:
    rule = f"{finding.severity} {finding.code}"
    return join_lines(f"{write_location(finding.place)}: {rule} {said} ({finding.name})")
