"""The matrix as Markdown: for a comment on a change, and for the summary of a job."""

from __future__ import annotations

from typing import TextIO

from lintorch.report.characters import make_writable
from lintorch.report.matrix import Matrix
from lintorch.report.matrix_record import make_record
from lintorch.report.record_markdown import write_markdown


def render(matrix: Matrix, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the table, the reasons for all that is not ok with fixes folded, and a summary."""
    for line in write_markdown(make_record(matrix)):
        out.write(make_writable(line, out) + "\n")
