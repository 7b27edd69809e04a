"""`lintorch export`: every model through every exporter, as a matrix with reasons."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.limit_options import limit_options
from lintorch.cli.rule_options import choice_options
from lintorch.core.profile import EXPORTERS
from lintorch.report import EXPORT_FORMATS


@click.command("export")
@click.argument("paths", nargs=-1)
@click.option(
    "--to", "exporters", multiple=True, type=click.Choice(EXPORTERS), metavar="EXPORTER",
    help="An exporter to try; may be repeated. Default: those that the project uses. "
    f"One of {', '.join(EXPORTERS)}.",
)  # fmt: skip
@click.option("--opset", type=click.IntRange(7, 30), help="The ONNX opset to write.")
@click.option("--target", "targets", multiple=True, metavar="NAME",
              help="A runtime that the model is deployed to, such as tensorrt-8.6; may be repeated.")  # fmt: skip
@click.option("--output", type=click.Path(file_okay=False), metavar="DIR",
              help="Write the exported files below this folder.")  # fmt: skip
@click.option("--repro", type=click.Path(file_okay=False), metavar="DIR",
              help="Write a program for each export that goes wrong, which shows it with torch alone.")  # fmt: skip
@click.option(
    "--output-format", type=click.Choice(EXPORT_FORMATS), default="full", show_default=True
)
@limit_options
@choice_options
@click.option("--jobs", "-j", type=click.IntRange(0), default=0,
              help="Files or exports at a time, memory permitting; 0: one per core.")  # fmt: skip
def command(**given: Any) -> None:
    """Export the models of files and folders (default: the current one), and compare numbers.

    Exit codes: 0 all exports are right, 1 some are wrong, fail, are stopped or could not be
    tried for the model's sake, 2 lintorch could not do its job: nothing to export, an exporter not installed.
    """
    from lintorch.cli.run_export import run

    sys.exit(run(given, sys.stdout, sys.stderr))
