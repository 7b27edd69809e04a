"""`lintorch export`: every model through every exporter, as a matrix with reasons."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.problems import UsageProblem
from lintorch.cli.shared_options import (
    SettingOption,
    choice_options,
    exporter_option,
    limit_options,
    model_option,
    paths_argument,
    precision_option,
    store_options,
    target_option,
)
from lintorch.core.profile import EXPORTERS
from lintorch.record.shard import Shard
from lintorch.report import EXPORT_FORMATS


def _read_interpreters(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """`old=PATH,new=PATH` as pairs. Raises UsageProblem."""
    pairs = [text.partition("=")[::2] for text in (given or "").split(",") if text]
    names = [name for name, _ in pairs]
    whole = all(name and python for name, python in pairs)
    if given and (len(pairs) < 2 or not whole or len({*names}) < len(names)):
        raise UsageProblem("--matrix takes two or more NAME=PYTHON, as old=PATH,new=PATH")
    return tuple(pairs)


def _read_shard(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """Raises UsageProblem."""
    try:
        return Shard.parse(given)
    except ValueError as error:
        raise UsageProblem(f"--shard: {error}") from error


@click.command("export")
@paths_argument
@exporter_option(
    "--to",
    help="An exporter to try; may be repeated, or several by commas. Default: those that the project uses. "
    f"One of {', '.join(EXPORTERS)}.",
)  # fmt: skip
@precision_option
@click.option("--opset", cls=SettingOption, type=click.IntRange(7, 30),
              help="The ONNX opset to write.")  # fmt: skip
@target_option
@click.option("--output", type=click.Path(file_okay=False), metavar="DIR",
              help="Write the exported files below this folder.")  # fmt: skip
@click.option("--repro", type=click.Path(file_okay=False), metavar="DIR",
              help="Write a program for each export that goes wrong, which shows it with torch alone.")  # fmt: skip
@click.option("--suggest", is_flag=True,
              help="Write the call that exports each model, with all sizes that can vary, tried by running it.")  # fmt: skip
@click.option("--shard", metavar="K/N", callback=_read_shard, default="1/1",
              help="Look at this share of the files; `lintorch merge` joins what all came to.")  # fmt: skip
@click.option("--matrix", metavar="NAME=PYTHON,NAME=PYTHON", callback=_read_interpreters,
              help="Export with each of these interpreters, and tell which upgrade breaks what.")  # fmt: skip
@click.option("--compare", type=click.Path(dir_okay=False), metavar="OLD.json",
              help="Tell what broke, and what was mended, since a run whose JSON this is.")  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False), metavar="FILE",
              help="Write a page for browsers with all that is known: calls, numbers, source and fixes.")  # fmt: skip
@click.option("--time", "timed", is_flag=True,
              help="Time each model: eager, compiled, and as it was exported, side by side.")  # fmt: skip
@click.option(
    "--output-format", type=click.Choice(EXPORT_FORMATS), default="full", show_default=True
)
@model_option
@limit_options
@choice_options
@store_options
@click.option("--jobs", "-j", type=click.IntRange(0), default=0,
              help="Files or exports at a time, memory permitting; 0: one per core.")  # fmt: skip
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """Export the models of files and folders (default: the current one), and compare numbers.

    Exit codes: 0 all exports are right, 1 some are wrong, fail, are stopped or could not be
    tried for the model's sake; with --compare 0 where nothing got worse, 1 where something did;
    2 lintorch could not do its job: nothing to export, an exporter not installed.
    """
    from lintorch.cli.make_request import make_request
    from lintorch.cli.option_clashes import refuse_export_clashes
    from lintorch.cli.run_export import run_export
    from lintorch.cli.run_interpreters import run_interpreters
    from lintorch.run.request import ExportRequest

    request = make_request(ExportRequest, context)
    refuse_export_clashes(request)
    run = run_interpreters if request.matrix else run_export
    sys.exit(run(request, sys.stdout, sys.stderr))
