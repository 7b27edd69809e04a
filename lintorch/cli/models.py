"""`lintorch models`: which models are found, how they are built and fed, and why some are not."""

from __future__ import annotations

import sys

import click

from lintorch.cli.limit_options import limit_options, limited


@click.command("models")
@click.argument("paths", nargs=-1)
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option(
    "--write", is_flag=True, help="Put what was inferred into the settings, to be edited."
)
@click.option(
    "--containment", is_flag=True, help="Say what holds models in on this machine; run none."
)
@limit_options
@click.option("--python", metavar="PATH", help="The interpreter whose torch runs the models.")
@click.option("--jobs", "-j", type=click.IntRange(0), default=0,
              help="Files at a time, memory permitting; 0: one per core.")  # fmt: skip
@click.option("--config", type=click.Path(dir_okay=False), help="Settings of this file only.")
def command(
    paths: tuple[str, ...],
    output_format: str,
    write: bool,
    containment: bool,
    python: str | None,
    jobs: int,
    config: str | None,
    **limits: float | None,
) -> None:
    """List the models of files and folders; builds and runs them once."""
    from lintorch.catalog import CatalogError
    from lintorch.cli.echo import tell
    from lintorch.cli.progress import progress_on
    from lintorch.cli.show_models import as_json, as_lines, as_text
    from lintorch.files import NotWritten
    from lintorch.host.client import WorkerError
    from lintorch.report.places import shown_path
    from lintorch.run.containment import held_in
    from lintorch.run.list_models import list_models
    from lintorch.run.request import Order
    from lintorch.settings import SettingsError

    asked = Order(
        paths or (".",), settings=limited(limits), python=python, jobs=jobs, config=config
    )
    try:
        with progress_on(sys.stderr) as progress:
            if containment:
                click.echo(as_lines(held_in(asked)), nl=False)
                return
            listed = list_models(asked, progress, write)
    except (SettingsError, CatalogError, WorkerError, NotWritten) as error:
        tell(sys.stderr, [error])
        sys.exit(2)
    click.echo(as_json(listed) if output_format == "json" else as_text(listed), nl=False)
    for added in listed.written:
        click.echo(f"Wrote to {shown_path(added.path)}: {', '.join(added.names)}", err=True)
    tell(sys.stderr, [*listed.notes, *listed.errors])
    sys.exit(2 if listed.errors else 0)
