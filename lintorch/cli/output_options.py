"""Options of `check` about what is told, as ruff spells them."""

from __future__ import annotations

from typing import Any

import click

from lintorch.cli.problems import UsageProblem
from lintorch.cli.shared_options import combine_options
from lintorch.report import CHECK_FORMATS

COLORS = ("auto", "always", "never")


def _read_reports(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """The format and the file of each. Raises UsageProblem."""
    pairs = [text.partition("=")[::2] for text in given]
    for name, file in pairs:
        if name not in CHECK_FORMATS or not file:
            listed = ", ".join(CHECK_FORMATS)
            raise UsageProblem(f"--report takes FORMAT=FILE, with a format of {listed}")
    return tuple(pairs)


report_option = click.option(
    "--report", "reports", multiple=True, metavar="FORMAT=FILE", callback=_read_reports,
    help="Write another report of the same run; may be repeated.",
)  # fmt: skip
output_options = combine_options(
    click.option("--statistics", is_flag=True, help="Count findings by rule instead."),
    click.option("--show-files", is_flag=True, help="List the files that would be checked."),
    click.option("--show-settings", is_flag=True,
                 help="Tell the settings that hold for the files, and where each comes from."),
    click.option("--verbose", "-v", is_flag=True,
                 help="Tell what is done, how long it takes, and tracebacks of models."),
    click.option("--quiet", "-q", is_flag=True, help="Print findings, and nothing else."),
    click.option("--silent", "-s", is_flag=True, help="Print nothing; only the exit code tells."),
    click.option("--color", type=click.Choice(COLORS), default="auto", show_default=True,
                 help="Whether the report is colored; auto: on a terminal."),
    click.option("--fix-only", is_flag=True,
                 help="Fix, tell nothing of what is left, and exit with 0."),
    click.option("--exit-non-zero-on-fix", is_flag=True,
                 help="Exit with 1 where anything was fixed, too."),
)  # fmt: skip
