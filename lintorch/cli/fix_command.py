"""`lintorch fix FILE --until-exports EXPORTER`: the fewest fixes after which an export is right."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.shared_options import (
    choice_options,
    limit_options,
    model_option,
    selection_options,
)
from lintorch.core.profile import EXPORTERS


@click.command("fix")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--until-exports",
    "exporter",
    required=True,
    type=click.Choice(EXPORTERS),
    metavar="EXPORTER",
    help=f"The exporter that is to be right. One of {', '.join(EXPORTERS)}.",
)
@click.option("--diff", is_flag=True, help="Show what would change; write nothing.")
@selection_options
@model_option
@limit_options
@choice_options
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """Put in the fewest fixes after which the models of a file export right, at all sizes.

    Fixes of files of the project that these models run through are taken, too.

    Each fix is tried by models that run with and without it, and one that changes what they
    compute is not taken. Exit codes: 0 the export is right, 1 no fixes make it so, and the lines
    at which it goes wrong are told, 2 lintorch could not do its job.
    """
    from lintorch.cli.make_request import make_request
    from lintorch.cli.run_fix import run_fix
    from lintorch.run.request import CheckRequest

    given = context.params
    path, exporter, diff = given.pop("file"), given.pop("exporter"), given.pop("diff")
    given |= {"paths": (path,), "exporters": (exporter,), "verify": True}
    sys.exit(run_fix(make_request(CheckRequest, context), diff, sys.stdout, sys.stderr))
