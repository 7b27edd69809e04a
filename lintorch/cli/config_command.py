"""`lintorch config [KEY]`: the keys of settings, or what one is and holds here."""

from __future__ import annotations

import json
import sys
from typing import Any

import click


@click.command("config")
@click.argument("key", required=False)
def command(key: str | None) -> None:
    """List the keys of settings, or tell what one is for, takes, and holds in this folder."""
    from lintorch.cli.problems import UsageProblem, print_problems
    from lintorch.settings import SettingsError, find_settings
    from lintorch.settings.describe_keys import KEYS, describe_kind
    from lintorch.settings.key_kinds import suggest_word

    if key is None:
        click.echo("\n".join(KEYS))
        return
    if key not in KEYS:
        raise UsageProblem(f"unknown key `{key}`{suggest_word(key, tuple(KEYS))}")
    told, takes = KEYS[key]
    click.echo(f"{told}\nTakes: {describe_kind(takes)}")
    try:
        found = find_settings(".")
    except SettingsError as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    if key == "extend":
        return
    value = _read_value(found, key.replace("-", "_"))
    where = found.file or "no settings file"
    click.echo(f"Here: {'not set' if value is None else json.dumps(value, default=str)} ({where})")


def _read_value(settings: Any, name: str) -> Any:
    """What a field holds; of selections what the file said."""
    if hasattr(settings, name):
        return getattr(settings, name)
    return getattr(settings.selections[-1], name) if settings.selections else None
