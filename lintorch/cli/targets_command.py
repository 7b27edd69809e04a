"""`lintorch targets`: the runtimes there are tables of, and what one release takes."""

from __future__ import annotations

import sys

import click

from lintorch.cli.completion import complete_targets


@click.command("targets")
@click.argument("name", required=False, shell_complete=complete_targets)
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(name: str | None, output_format: str) -> None:
    """List the deployment targets, or what is known of one, such as tensorrt-8.6."""
    from lintorch.cli import show_targets as shown
    from lintorch.cli.terminal import choose_style
    from lintorch.targets import TargetError, find_target, list_targets

    width = choose_style(sys.stdout).width
    try:
        target = find_target(name) if name else None
    except TargetError as error:
        click.echo(f"lintorch: {error}", err=True)
        sys.exit(2)
    if output_format == "json":
        click.echo(shown.format_targets_json(target or tuple(list_targets())), nl=False)
    else:
        click.echo(
            shown.format_target(target, width)
            if target
            else shown.format_target_table(tuple(list_targets()), width),
            nl=False,
        )
