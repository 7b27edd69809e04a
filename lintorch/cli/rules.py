"""`lintorch rules`: all rules, one line each."""

from __future__ import annotations

import json
import sys

import click


@click.command("rules")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(output_format: str) -> None:
    """List all rules with their codes, names, gravity, evidence and fixes."""
    from lintorch.catalog import CatalogError, load
    from lintorch.page import facts, table

    try:
        rules = list(load().rules.values())
    except CatalogError as error:
        click.echo(f"lintorch: {error}", err=True)
        sys.exit(2)
    if output_format == "json":
        click.echo(json.dumps([facts(rule) for rule in rules], indent=2))
    else:
        click.echo(table(rules), nl=False)
