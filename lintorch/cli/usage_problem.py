"""What is said of options that contradict each other, or name what there is not."""

from __future__ import annotations

import sys
from typing import IO, Any, TextIO, cast

import click


class UsageProblem(click.ClickException):
    """Said in one line on standard error, as all problems are; the exit code is 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Say it."""
        from lintorch.cli.echo import tell

        tell(cast(TextIO, file or sys.stderr), [self.message])
