"""`lintorch rule CODE|NAME`: the page of one rule."""

from __future__ import annotations

import sys

import click


@click.command("rule")
@click.argument("code_or_name")
def command(code_or_name: str) -> None:
    """Explain a rule: what is wrong, why, an example, and what fixing it gives."""
    from difflib import get_close_matches

    from lintorch.catalog import CatalogError, load
    from lintorch.page import page

    try:
        catalog = load()
    except CatalogError as error:
        raise click.ClickException(str(error)) from error
    found = catalog.find(code_or_name)
    if found is None:
        known = [*catalog.rules, *catalog.names.values()]
        near = get_close_matches(code_or_name, known, 1)
        hint = f"; did you mean {near[0]}?" if near else "; `lintorch rules` lists them"
        click.echo(f"lintorch: there is no rule {code_or_name!r}{hint}", err=True)
        sys.exit(2)
    click.echo(page(found), nl=False)
