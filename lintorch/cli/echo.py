"""What is said on standard error: one line each, in which nothing of a file can steer the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from lintorch.report.characters import one_line, writable


def tell(err: TextIO, said: Iterable[object]) -> None:
    """Write `lintorch: …` lines."""
    for each in said:
        print(writable(f"lintorch: {one_line(str(each))}", err), file=err)
