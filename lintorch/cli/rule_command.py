"""`lintorch rule CODE|NAME`: the page of one rule."""

from __future__ import annotations

import sys

import click

from lintorch.cli.shared_options import rules_option


@click.command("rule")
@click.argument("code_or_name")
@rules_option
def command(code_or_name: str, rules: tuple[str, ...]) -> None:
    """Explain a rule: what is wrong, why, an example, and what fixing it gives."""
    from difflib import get_close_matches

    from lintorch.catalog import CatalogError, build_catalog
    from lintorch.cli.problems import print_problems
    from lintorch.report.rule_page import write_page
    from lintorch.settings import SettingsError, rules_asked_for

    try:
        catalog = build_catalog(rules_asked_for(rules))
    except (CatalogError, SettingsError) as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    found = catalog.find_rule(code_or_name)
    if found is None:
        known = [*catalog.names, *catalog.names.values()]
        near = get_close_matches(code_or_name, known, 1)
        hint = f"; did you mean {near[0]}?" if near else "; `lintorch rules` lists them"
        click.echo(f"lintorch: there is no rule {code_or_name!r}{hint}", err=True)
        sys.exit(2)
    click.echo(write_page(found), nl=False)
