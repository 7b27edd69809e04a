"""One line for each finding, as editors and grep like it, and a summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lintorch.core.finding import Finding
from lintorch.report.characters import one_line, writable
from lintorch.report.places import location
from lintorch.report.result import Result
from lintorch.report.summary_line import mark, repairs, summary


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write `path:row:col: LT101 [*] message (name)` lines, never wrapped nor coloured."""
    for line in _lines(report):
        out.write(writable(line, out) + "\n")


def _lines(report: Result) -> Iterator[str]:
    for finding in report.findings:
        yield _line(finding, mark(finding, report) + finding.message)
    if report.show_refuted:
        for finding in report.withdrawn:
            yield _line(finding, f"withdrawn: {finding.refuted or finding.message}")
    yield from map(one_line, repairs(report))
    yield summary(report)


def _line(finding: Finding, said: str) -> str:
    return one_line(f"{location(finding.place)}: {finding.code} {said} ({finding.name})")
