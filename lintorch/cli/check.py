"""`lintorch check`: options in, a report and an exit code out."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.limit_options import limit_options
from lintorch.cli.rule_options import choice_options
from lintorch.core.profile import EXPORTERS
from lintorch.report import CHECK_FORMATS

_LEVELS = ("note", "warning", "error")


@click.command("check")
@click.argument("paths", nargs=-1)
@click.option("--trace", is_flag=True, help="Run the models found, and let the runs decide.")
@click.option(
    "--export", "exporters", multiple=True, type=click.Choice(EXPORTERS), metavar="EXPORTER",
    help=f"Try a real export, and compare numbers; may be repeated. One of {', '.join(EXPORTERS)}.",
)  # fmt: skip
@click.option(
    "--fix",
    is_flag=True,
    help="Mend what can be mended without changing the meaning, and say what.",
)
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="With --fix or --diff: also where numbers may change. Alone: count these too.",
)
@click.option("--diff", is_flag=True, help="Show what --fix would change; write nothing.")
@click.option("--select", metavar="RULES", help="Only these: codes, prefixes or names, by commas.")
@click.option("--ignore", metavar="RULES", help="Not these.")
@click.option("--extend-select", metavar="RULES", help="These too.")
@click.option("--output-format", type=click.Choice(CHECK_FORMATS), default="full",
              show_default=True)  # fmt: skip
@click.option("--output-file", type=click.Path(dir_okay=False), help="Write the report there.")
@click.option("--fail-on", type=click.Choice(_LEVELS), default="note", show_default=True,
              help="The gravity from which findings make the exit code 1.")  # fmt: skip
@click.option(
    "--show-refuted", is_flag=True, help="List the findings that a run withdrew, and why."
)
@click.option("--opset", type=click.IntRange(7, 30), help="The ONNX opset you deploy with.")
@click.option("--target", "targets", multiple=True, metavar="NAME",
              help="A runtime that the model is deployed to, such as tensorrt-8.6; may be repeated.")  # fmt: skip
@limit_options
@choice_options
@click.option("--jobs", "-j", type=click.IntRange(0), default=0, help="Processes; 0: one per core.")
@click.option(
    "--no-cache", is_flag=True, help="Look at every file anew, and keep nothing for the next run."
)
@click.option("--force-exclude", is_flag=True, help="Exclude even files given by name.")
@click.option("--stdin-filename", metavar="PATH", help="What to call the text of `-`.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
def command(**given: Any) -> None:
    """Find hazards in files and folders (default: the current one)."""
    from lintorch.cli.run_check import run

    sys.exit(run(given, sys.stdin, sys.stdout, sys.stderr))
