"""What a terminal gets and a pipe does not: colors, lines cut to its width, what is being worked on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import perf_counter
from typing import TextIO

from lintorch.report.characters import make_writable
from lintorch.run.request import Progress, ignore_progress

FINDING_MODELS = "looking for files and settings"
"""What is said at once by commands that run models."""


@dataclass(frozen=True)
class TextStyle:
    """Whether text is colored, and the columns that it is cut to; None for none."""

    color: bool
    width: int | None


def choose_style(stream: TextIO, asked: str = "auto") -> TextStyle:
    """How to write to a stream: as asked ("always", "never"), else by what it is, NO_COLOR and FORCE_COLOR."""
    terminal = stream.isatty()
    color = (terminal and "NO_COLOR" not in os.environ) or bool(os.environ.get("FORCE_COLOR"))
    color = {"always": True, "never": False}.get(asked, color)
    return TextStyle(color, _terminal_width() if terminal else None)


def _terminal_width() -> int:
    import shutil  # it loads every kind of archive

    return shutil.get_terminal_size().columns


def _write_steps(stream: TextIO) -> Progress:
    begun = perf_counter()

    def write(step: str) -> None:
        stamp = f"{perf_counter() - begun:8.2f} s  "
        for number, line in enumerate(step.splitlines()):
            lead = " " * len(stamp) if number else stamp
            stream.write(f"{lead}{make_writable(line, stream)}\n")
        stream.flush()

    return write


@contextmanager
def progress_on(stream: TextIO, first: str = "", verbose: bool = False) -> Iterator[Progress]:
    """A function that takes a line saying how the work stands; it stands until the next one.

    Nothing is shown before the `first` line, or else the first that comes, and behind a line "".
    If `verbose`, each is written with the seconds since the start, and stays.
    """
    if verbose:
        yield _write_steps(stream)
        return
    if not stream.isatty():
        yield ignore_progress
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    line = TextColumn("{task.description}", table_column=Column(no_wrap=True))
    bar = Bar(
        SpinnerColumn(), TimeElapsedColumn(), line, console=Console(file=stream), transient=True
    )

    def tell(step: str) -> None:
        if not step:
            bar.stop()
        elif bar.live.is_started:
            bar.update(bar.task_ids[0], description=escape(step), refresh=True)
        else:
            for task in bar.task_ids:
                bar.remove_task(task)
            bar.start()
            bar.add_task(escape(step), total=None)

    try:
        if first:
            tell(first)
        yield tell
    finally:
        with suppress(OSError):  # the terminal may be gone
            bar.stop()
