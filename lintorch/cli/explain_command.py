"""`lintorch explain FILE:LINE`: what is known of the values there, without running anything."""

from __future__ import annotations

import sys
from typing import Any

import click


@click.command("explain")
@click.argument("place", metavar="FILE:LINE")
@click.argument("paths", metavar="[PATHS]...", nargs=-1)
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """Show what each value on a line is, by the ways in which models lead there; runs nothing.

    FILE:FIRST-LAST asks for several lines, FILE alone for all. The models are those of the file;
    where they do not lead there, those of files that import it. PATHS name others instead.
    """
    from lintorch.cli.make_request import make_request
    from lintorch.cli.problems import print_problems
    from lintorch.cli.show_values import format_contexts, format_contexts_json
    from lintorch.run.explain_lines import NoLineError, explain_lines
    from lintorch.run.request import ExplainRequest
    from lintorch.settings import SettingsError

    request = make_request(ExplainRequest, context)
    try:
        explained = explain_lines(request)
    except (NoLineError, SettingsError) as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    if request.output_format == "json":
        click.echo(format_contexts_json(explained.contexts), nl=False)
    else:
        click.echo(format_contexts(explained.contexts), nl=False)
    silence = f"{request.place}: {explained.silence}" if explained.silence else ""
    print_problems(sys.stderr, [*([silence] if silence else []), *explained.notes])
    sys.exit(1 if silence else 0)
