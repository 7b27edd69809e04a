"""A record as a page for browsers."""

from __future__ import annotations

from typing import TextIO

from lintorch.report.html.page import write_page
from lintorch.report.record_changes import Record


def render(record: Record, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write one page with all that the record has."""
    write_page(record, out)
