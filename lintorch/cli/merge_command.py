"""`lintorch merge`: what shards of an export came to, as one report."""

from __future__ import annotations

import sys

import click

from lintorch.report import EXPORT_FORMATS


@click.command("merge")
@click.argument("files", metavar="FILE.json...", nargs=-1, required=True, type=click.Path(dir_okay=False))  # fmt: skip
@click.option("--compare", type=click.Path(dir_okay=False), metavar="OLD.json",
              help="Tell what broke, and what was mended, since a run whose JSON this is.")  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False), metavar="FILE",
              help="Write a page for browsers with all that is known.")  # fmt: skip
@click.option(
    "--output-format", type=click.Choice(EXPORT_FORMATS), default="full", show_default=True
)
def command(
    files: tuple[str, ...], compare: str | None, html: str | None, output_format: str
) -> None:
    """Make one report of what `lintorch export --shard K/N --output-format json` wrote.

    One file alone is written in another format. Exit codes are those of `lintorch export`; 2 also
    where a shard is missing.
    """
    from lintorch.cli.problems import print_problems
    from lintorch.cli.show_record import UNABLE, judge_record, show_record
    from lintorch.report.join_shards import ShardsError, join_shards
    from lintorch.report.places import shown_path
    from lintorch.report.read_record import RecordError, read_record
    from lintorch.report.record_changes import mark_changes

    try:
        record = join_shards([read_record(file) for file in files])
        if compare is not None:
            record = mark_changes(record, read_record(compare), shown_path(compare))
    except (RecordError, ShardsError) as error:
        print_problems(sys.stderr, [error])
        sys.exit(UNABLE)
    unwritten = show_record(record, output_format, html, sys.stdout)
    print_problems(sys.stderr, unwritten)
    sys.exit(UNABLE if unwritten else judge_record(record))
