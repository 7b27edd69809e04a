"""What is said on standard error: a line for each problem, in which nothing of a file can steer the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import IO, Any, TextIO, cast

import click


def print_problems(err: TextIO, said: Iterable[object]) -> None:
    """Write `lintorch: …` lines."""
    from lintorch.report.characters import join_lines, make_writable

    for each in said:
        print(make_writable(f"lintorch: {join_lines(str(each))}", err), file=err)


class UsageProblem(click.ClickException):
    """Options that contradict each other, or name what there is not; the exit code is 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Say it."""
        print_problems(cast(TextIO, file or sys.stderr), [self.message])
