"""One line for each finding as pylint writes it, for tools that read that."""

from __future__ import annotations

from typing import TextIO

from lintorch.report.characters import join_lines, make_writable
from lintorch.report.places import find_start, shown_path
from lintorch.report.result import Result
from lintorch.report.wording import write_message


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write `path:row: [LT101] message (name)` lines and nothing else."""
    for finding in report.findings:
        row, _ = find_start(finding.place)
        said = f"[{finding.code}] {write_message(finding)} ({finding.name})"
        line = join_lines(f"{shown_path(finding.place.path)}:{row}: {said}")
        out.write(make_writable(line, out) + "\n")
