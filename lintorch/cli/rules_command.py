"""`lintorch rules`: all rules, one line each."""

from __future__ import annotations

import json
import sys

import click

from lintorch.cli.shared_options import rules_option


@click.command("rules")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@rules_option
def command(output_format: str, rules: tuple[str, ...]) -> None:
    """List all rules with their codes, names, severity, evidence and fixes."""
    from lintorch.catalog import CatalogError, build_catalog
    from lintorch.cli.problems import print_problems
    from lintorch.cli.terminal import choose_style
    from lintorch.report.rule_page import list_facts, write_table
    from lintorch.settings import SettingsError, rules_asked_for

    try:
        every = list(build_catalog(rules_asked_for(rules)).rules.values())
    except (CatalogError, SettingsError) as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    if output_format == "json":
        click.echo(json.dumps([list_facts(rule) for rule in every], indent=2))
    else:
        click.echo(write_table(every, choose_style(sys.stdout).width), nl=False)
