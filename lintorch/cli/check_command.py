"""`lintorch check`: options in, a report and an exit code out."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.adoption_options import adoption_options
from lintorch.cli.file_options import file_options
from lintorch.cli.output_options import output_options, report_option
from lintorch.cli.shared_options import (
    SettingOption,
    cache_option,
    choice_options,
    exporter_option,
    limit_options,
    model_option,
    paths_argument,
    selection_options,
    store_options,
    target_option,
)
from lintorch.core.profile import EXPORTERS
from lintorch.report import CHECK_FORMATS

_LEVELS = ("note", "warning", "error")


@click.command("check")
@paths_argument
@click.option("--trace", is_flag=True, help="Run the models found, and let the runs decide.")
@exporter_option(
    "--export",
    help=f"Try a real export, and compare numbers; may be repeated, or several by commas. One of {', '.join(EXPORTERS)}.",
)  # fmt: skip
@click.option(
    "--fix",
    is_flag=True,
    help="Fix what can be fixed without changing the meaning, and say what.",
)
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="With --fix or --diff: also where numbers may change. Alone: count these too.",
)
@click.option("--interactive", is_flag=True, help="With --fix: show each fix, and ask.")
@click.option("--diff", is_flag=True, help="Show what --fix would change; write nothing.")
@click.option(
    "--verify",
    is_flag=True,
    help="Run models with and without each fix, and leave out safe fixes that change numbers. "
    "Alone: say what came of it; write nothing.",
)
@selection_options
@click.option(
    "--output-format", type=click.Choice(CHECK_FORMATS), default="full", show_default=True
)
@click.option("--output-file", type=click.Path(dir_okay=False), help="Write the report there.")
@report_option
@click.option("--fail-on", cls=SettingOption, type=click.Choice(_LEVELS),
              help="The severity from which findings make the exit code 1; default: note.")  # fmt: skip
@click.option(
    "--show-refuted",
    is_flag=True,
    help="List the findings that a run showed to be harmless, and why.",
)
@click.option("--opset", cls=SettingOption, type=click.IntRange(7, 30),
              help="The ONNX opset you deploy with.")  # fmt: skip
@output_options
@adoption_options
@target_option
@file_options
@model_option
@limit_options
@choice_options
@store_options
@click.option("--jobs", "-j", type=click.IntRange(0), default=0, help="Processes; 0: one per core.")
@click.option(
    "--no-cache", is_flag=True, help="Check every file again, and keep nothing for the next run."
)
@cache_option
@click.option("--force-exclude", is_flag=True, help="Exclude even files given by name.")
@click.option("--stdin-filename", metavar="PATH", help="What to call the text of `-`.")
@click.option("--watch", "-w", is_flag=True, help="Check again whenever a file changes.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """Find hazards in files and folders (default: the current one)."""
    from lintorch.cli.make_request import make_request
    from lintorch.cli.option_clashes import refuse_clashes
    from lintorch.cli.run_check import run_check
    from lintorch.run.request import CheckRequest

    request = make_request(CheckRequest, context)
    refuse_clashes(request)
    if request.watch:
        from lintorch.cli.watch_check import watch_check

        sys.exit(watch_check(request, sys.stdout, sys.stderr))
    sys.exit(run_check(request, sys.stdin, sys.stdout, sys.stderr))
