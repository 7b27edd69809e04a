"""`lintorch clean`: removes what runs have kept."""

from __future__ import annotations

import click

from lintorch.cli.shared_options import cache_option


@click.command("clean")
@cache_option
def command() -> None:
    """Remove what lintorch has kept of this user's runs."""
    from lintorch.cache.cache_folder import remove_kept

    number = remove_kept()
    click.echo(f"Removed {number} file{'' if number == 1 else 's'}.")
