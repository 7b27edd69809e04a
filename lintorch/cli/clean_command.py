"""`lintorch clean`: removes what runs have kept."""

from __future__ import annotations

import click

from lintorch.cli.problems import UsageProblem
from lintorch.cli.shared_options import cache_option


@click.command("clean")
@click.option("--store", metavar="DIR|URL", default="",
              help="Remove what `export --store` has kept there, and nothing else.")  # fmt: skip
@click.option("--unused-for", "days", type=click.FloatRange(0), metavar="DAYS",
              help="With --store: only what nothing has used for so long.")  # fmt: skip
@click.option("--keep", "megabytes", type=click.IntRange(0), metavar="MB",
              help="With --store: what was used last, up to so many megabytes, stays.")  # fmt: skip
@cache_option
def command(store: str, days: float | None, megabytes: int | None) -> None:
    """Remove what lintorch has kept of this user's runs."""
    if store:
        _prune(store, days, megabytes)
        return
    if days is not None or megabytes is not None:
        raise UsageProblem("--unused-for and --keep are about a --store")
    from lintorch.cache.cache_folder import remove_kept

    number = remove_kept()
    click.echo(f"Removed {number} file{'' if number == 1 else 's'}.")


def _prune(store: str, days: float | None, megabytes: int | None) -> None:
    """Raises UsageProblem where there is no such store."""
    from lintorch.store import StoreError, find_place, prune_store

    size = None if megabytes is None else megabytes * 10**6
    try:
        number, freed = prune_store(find_place(store), days, size)
    except (StoreError, OSError) as error:
        raise UsageProblem(f"--store: {error}") from error
    click.echo(f"Removed {number} file{'' if number == 1 else 's'}, {freed / 1e6:.1f} MB.")
