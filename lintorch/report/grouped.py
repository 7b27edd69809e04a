"""The findings under the names of their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TextIO

from lintorch.core.finding import Finding
from lintorch.report.characters import count_columns, join_lines
from lintorch.report.places import find_start, shown_path
from lintorch.report.result import Result
from lintorch.report.styled_lines import Line, Screen
from lintorch.report.summary_line import mark_fix, write_repairs, write_summary
from lintorch.report.wording import write_message


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write `path:` and below it `row:col severity code message` for each finding of the file."""
    screen = Screen.of(out, color, width)
    for path, found in groupby(report.findings, key=lambda finding: finding.place.path):
        screen.write([[(f"{shown_path(path)}:", "strong")]])
        screen.write(_draw_group(list(found), report, screen))
    if report.quiet:
        return
    for line in write_repairs(report):
        screen.write(screen.wrap(line, 0, "good"))
    screen.write(screen.wrap(write_summary(report), 0))


def _draw_group(found: Sequence[Finding], report: Result, screen: Screen) -> Iterator[Line]:
    places = [":".join(map(str, find_start(finding.place))) for finding in found]
    widest = max(map(len, places))
    for finding, place in zip(found, places, strict=True):
        told = f"{write_message(finding)} ({finding.name})"
        said = join_lines(mark_fix(finding, report) + told)
        rule = f"{finding.severity!s:<7} {finding.code}"
        head: Line = ((f"  {place:<{widest}}  ", ""), (rule, str(finding.severity)), (" ", ""))
        indent = sum(count_columns(text) for text, _ in head)
        for index, (margin, text) in enumerate(screen.wrap(said, indent)):
            yield *(head if index == 0 else (margin,)), text
    yield ()
