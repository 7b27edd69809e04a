"""The findings as a table of Markdown: for the summary of a job, or a comment on a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from lintorch.core.finding import Finding
from lintorch.report.characters import join_lines, make_writable
from lintorch.report.places import write_location
from lintorch.report.result import Result
from lintorch.report.summary_line import mark_fix, write_summary
from lintorch.report.wording import write_message

_BAR = "\\|"
_ESCAPED = str.maketrans({"<": "&lt;", ">": "&gt;", "*": "\\*", "&": "&amp;"})


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write a row for each finding, whose code leads to the rule's page, and a summary."""
    for line in _write_lines(report):
        out.write(make_writable(line, out) + "\n")


def _write_lines(report: Result) -> Iterator[str]:
    if report.findings:
        yield from write_table(
            ["severity", "place", "rule", "what is wrong, and what to write instead"],
            (_list_cells(finding, report) for finding in report.findings),
        )
        yield ""
    yield escape_text(write_summary(report))


def _list_cells(finding: Finding, report: Result) -> list[str]:
    url = report.urls.get(finding.code)
    code = f"[{finding.code}]({url})" if url else finding.code
    place = escape_text(write_location(finding.place))
    said = escape_text(mark_fix(finding, report) + write_message(finding))
    return [str(finding.severity), place, f"{code} {finding.name}", said]


def write_table(heads: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """A table of cells that are Markdown already."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |" for cells in rows)


def escape_text(text: str) -> str:
    """A text in one line that shows as it is; what stands between backticks stays code."""
    parts = join_lines(text).split("`")
    if len(parts) % 2 == 0:  # the last one is not closed
        parts[-2:] = [f"{parts[-2]}\\`{parts[-1]}"]
    return "`".join(p if n % 2 else p.translate(_ESCAPED) for n, p in enumerate(parts))
