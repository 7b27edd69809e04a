"""`lintorch models`: which models are found, how they are built and fed, and why some are not."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.shared_options import limit_options, paths_argument, python_option


@click.command("models")
@paths_argument
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option(
    "--write", is_flag=True, help="Put what was inferred into the settings, to be edited."
)
@click.option(
    "--containment", is_flag=True, help="Say what holds models in on this machine; run none."
)
@limit_options
@python_option
@click.option("--jobs", "-j", type=click.IntRange(0), default=0,
              help="Files at a time, memory permitting; 0: one per core.")  # fmt: skip
@click.option("--config", type=click.Path(dir_okay=False), help="Settings of this file only.")
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """List the models of files and folders; builds and runs them once."""
    from lintorch.catalog import CatalogError
    from lintorch.cli.echo import tell
    from lintorch.cli.make_request import make_request
    from lintorch.cli.progress import progress_on
    from lintorch.cli.show_models import as_json, as_lines, as_text
    from lintorch.files import NotWritten
    from lintorch.host.client import WorkerError
    from lintorch.report.places import shown_path
    from lintorch.run.containment import describe_containment
    from lintorch.run.list_models import list_models
    from lintorch.run.request import ModelsRequest
    from lintorch.settings import SettingsError

    request = make_request(ModelsRequest, context)
    try:
        with progress_on(sys.stderr) as progress:
            if request.containment:
                click.echo(as_lines(describe_containment(request)), nl=False)
                return
            listed = list_models(request, progress)
    except (SettingsError, CatalogError, WorkerError, NotWritten) as error:
        tell(sys.stderr, [error])
        sys.exit(2)
    as_asked = as_json if request.output_format == "json" else as_text
    click.echo(as_asked(listed), nl=False)
    for added in listed.written:
        click.echo(f"Wrote to {shown_path(added.path)}: {', '.join(added.names)}", err=True)
    tell(sys.stderr, [*listed.notes, *listed.errors])
    sys.exit(2 if listed.errors else 0)
