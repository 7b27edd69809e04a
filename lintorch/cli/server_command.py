"""`lintorch server`: speaks the language server protocol with an editor."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.file_options import file_options
from lintorch.cli.shared_options import (
    choice_options,
    limit_options,
    selection_options,
    target_option,
)


@click.command("server")
@selection_options
@target_option
@limit_options
@choice_options
@file_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Serve an editor over standard input and output: findings while one types.

    Needs the extra `server`. Editors start it; docs/editors.md says how. Code of the project runs
    only where somebody asks the editor to trace or export a model.
    """
    from lintorch.cli.make_request import make_request
    from lintorch.run.request import CheckRequest

    try:
        from lintorch.server.serve import serve
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        click.echo("lintorch server needs pygls beside lintorch: pip install pygls", err=True)
        sys.exit(2)
    context.params["paths"] = (".",)  # the folder that the editor names, once it does
    sys.exit(serve(make_request(CheckRequest, context)))
