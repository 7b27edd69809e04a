"""The matrix as a page for browsers."""

from __future__ import annotations

from typing import TextIO

from lintorch.report.html.page import write_page
from lintorch.report.matrix import Matrix
from lintorch.report.matrix_record import make_record


def render(matrix: Matrix, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write one page with all that JSON has."""
    write_page(make_record(matrix), out)
