"""What is being worked on and for how long, shown on a terminal and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from lintorch.run.request import Progress, silent


@contextmanager
def progress_on(stream: TextIO) -> Iterator[Progress]:
    """A function that takes a line saying what begins; the last one stands until the next."""
    if not stream.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    bar = Bar(*columns, console=Console(file=stream), transient=True)
    steps: list[str] = []

    def tell(step: str) -> None:
        if not steps:
            bar.start()
            bar.add_task("", total=None)
        steps.append(step)
        bar.reset(bar.task_ids[0], description=escape(step))

    try:
        yield tell
    finally:
        with suppress(OSError):  # the terminal may be gone
            bar.stop()
