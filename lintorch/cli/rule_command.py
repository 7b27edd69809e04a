"""`lintorch rule CODE|NAME`: the page of one rule, or of all."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from lintorch.cli.completion import complete_rule
from lintorch.cli.shared_options import rules_option

if TYPE_CHECKING:
    from lintorch.catalog import Catalog
    from lintorch.core.rule import Rule


@click.command("rule")
@click.argument("code_or_name", required=False, shell_complete=complete_rule)
@click.option("--all", "every", is_flag=True, help="Explain all rules.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@rules_option
def command(
    code_or_name: str | None, every: bool, output_format: str, rules: tuple[str, ...]
) -> None:
    """Explain a rule: what is wrong, why, an example, and what fixing it gives."""
    from lintorch.catalog import CatalogError, build_catalog, find_page_urls
    from lintorch.cli.problems import UsageProblem, print_problems
    from lintorch.report.rule_page import list_facts, write_page
    from lintorch.settings import SettingsError, rules_asked_for

    if every == bool(code_or_name):
        raise UsageProblem("name one rule, or ask for --all")
    try:
        catalog = build_catalog(rules_asked_for(rules))
    except (CatalogError, SettingsError) as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    found = list(catalog.rules.values()) if every else [_find_rule(catalog, code_or_name or "")]
    if output_format == "text":
        click.echo("\n".join(map(write_page, found)), nl=False)
        return
    urls = find_page_urls(catalog.cards.values())
    told = [{**list_facts(r), "url": urls.get(r.code), "page": write_page(r)} for r in found]
    click.echo(json.dumps(told if every else told[0], indent=2))


def _find_rule(catalog: Catalog, code_or_name: str) -> Rule:
    """The rule; where there is none, say which may be meant and exit."""
    from difflib import get_close_matches

    found = catalog.find_rule(code_or_name)
    if found is not None:
        return found
    known = [*catalog.names, *catalog.names.values()]
    near = get_close_matches(code_or_name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else "; `lintorch rules` lists them"
    click.echo(f"lintorch: there is no rule {code_or_name!r}{hint}", err=True)
    sys.exit(2)
