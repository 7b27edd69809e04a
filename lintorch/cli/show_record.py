"""What `export` came to, written where it was asked for, and what the process ends with."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TextIO

from lintorch.cli.terminal import choose_style
from lintorch.files.file_text import write_whole
from lintorch.report import write_record
from lintorch.report.matrix import OK, UNAVAILABLE
from lintorch.report.record_changes import Record

RIGHT, WRONG, UNABLE = 0, 1, 2


def show_record(record: Record, form: str, page: str | None, out: TextIO) -> list[str]:
    """Write the page where one is asked for, then the report, of which a reader may take the head alone.

    Tells what could not be written.
    """
    unwritten = [*write_page(record, page)]
    style = choose_style(out)
    write_record(form, record, out, color=style.color, width=style.width)
    return unwritten


def write_page(record: Record, path: str | None) -> Iterator[str]:
    """The page is put in place whole, or not at all; then it is said why."""
    if path is None:
        return
    page = io.StringIO()
    write_record("html", record, page)
    try:
        write_whole(path, page.getvalue().encode())
    except OSError as error:
        yield f"{path}: {error.strerror or error}; no page was written"


def judge_record(record: Record) -> int:
    """Whether all is right, or, where it was compared with another, nothing has got worse.

    An exporter that is not installed is lintorch's own failure, but where interpreters are compared.
    """
    statuses = {trial["status"] for trial in record["trials"]}
    if not record["models"] or (UNAVAILABLE in statuses and not record.get("interpreters")):
        return UNABLE
    if changes := record.get("changes"):
        return WRONG if changes["worse"] else RIGHT
    right = statuses <= {OK} and not any(model.get("cause") for model in record["models"])
    return RIGHT if right else WRONG
