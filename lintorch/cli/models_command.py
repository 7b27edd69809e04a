"""`lintorch models`: which models are found, how they are built and fed, and why some are not."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.shared_options import limit_options, model_option, paths_argument, python_option


@click.command("models")
@paths_argument
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option(
    "--write", is_flag=True, help="Put what was inferred into the settings, to be edited."
)
@click.option(
    "--containment", is_flag=True, help="Show how models are confined on this machine; run none."
)
@click.option("--verbose", "-v", is_flag=True, help="Show the traceback of what did not run.")
@model_option
@limit_options
@python_option
@click.option("--jobs", "-j", type=click.IntRange(0), default=0,
              help="Files at a time, memory permitting; 0: one per core.")  # fmt: skip
@click.option("--config", multiple=True, metavar="FILE|KEY=VALUE",
              help="Settings of this file only, or one of them as TOML; may be repeated.")  # fmt: skip
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """List the models of files and folders; builds and runs them once."""
    from lintorch.catalog import CatalogError
    from lintorch.cli.make_request import make_request
    from lintorch.cli.problems import print_problems
    from lintorch.cli.show_models import format_containment, format_models, format_models_json
    from lintorch.cli.terminal import FINDING_MODELS, choose_style, progress_on
    from lintorch.files import NotWritten
    from lintorch.host.worker_process import WorkerError
    from lintorch.report.places import shown_path
    from lintorch.run.describe_containment import describe_containment
    from lintorch.run.list_models import list_models
    from lintorch.run.request import ModelsRequest
    from lintorch.settings import SettingsError

    request = make_request(ModelsRequest, context)
    try:
        with progress_on(sys.stderr, FINDING_MODELS) as progress:
            if request.containment:
                click.echo(format_containment(describe_containment(request)), nl=False)
                return
            listed = list_models(request, progress)
    except (SettingsError, CatalogError, WorkerError, NotWritten) as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    if request.output_format == "json":
        click.echo(format_models_json(listed), nl=False)
    else:
        width = choose_style(sys.stdout).width
        click.echo(format_models(listed, verbose=request.verbose, width=width), nl=False)
    for added in listed.written:
        open_names = (f"{name} (to be filled in)" for name in added.open)
        names = ", ".join((*added.names, *open_names))
        click.echo(f"Wrote to {shown_path(added.path)}: {names}", err=True)
    print_problems(sys.stderr, [*listed.notes, *listed.errors])
    sys.exit(2 if listed.errors else 0)
