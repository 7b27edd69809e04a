"""What is being worked on, shown on a terminal and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from lintorch.run.order import Progress, silent


@contextmanager
def progress_on(stream: IO[str]) -> Iterator[Progress]:
    """A function that takes a line saying what begins; the last one stands until the next."""
    if not stream.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.status import Status

    shown = Status("reading", console=Console(file=stream))
    begun = False

    def tell(step: str) -> None:
        nonlocal begun
        shown.update(escape(step))
        if not begun:
            shown.start()
            begun = True

    try:
        yield tell
    finally:
        shown.stop()
