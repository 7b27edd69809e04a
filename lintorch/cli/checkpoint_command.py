"""`lintorch checkpoint`: what a checkpoint file holds, and whether a model takes it; nothing in it runs."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.shared_options import limit_options, python_option


@click.command("checkpoint")
@click.argument("file", metavar="FILE", type=click.Path())
@click.argument("model", metavar="[MODEL]", required=False, default="")
@click.option("--key", default="", metavar="NAME",
              help="The part of the file that holds the weights, such as model_ema.state.")  # fmt: skip
@click.option("--keys", is_flag=True, help="Show all keys, and not only the first ones.")
@click.option("--values", is_flag=True, help="Look through the numbers for NaN and infinity.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@limit_options
@python_option
@click.option("--config", multiple=True, metavar="FILE|KEY=VALUE",
              help="Settings of this file only, or one of them as TOML; may be repeated.")  # fmt: skip
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """Tell what a checkpoint FILE holds: its keys, and what torch.load will say to it.

    A FOLDER, or its .index.json, whose weights lie in several files is read as one.

    The file is read and not unpickled: nothing in it runs. With MODEL, as file.py:Class, the model
    is built and its keys are compared; only that runs code, which is the model's own.

    Exit codes: 0 nothing to tell, 1 torch.load(weights_only=True) or the model refuses something,
    2 the file could not be read, or the model not be built.
    """
    from lintorch.checkpoint.checkpoint import NoSectionError
    from lintorch.checkpoint.limits import CheckpointError
    from lintorch.cli.make_request import make_request
    from lintorch.cli.problems import print_problems
    from lintorch.cli.show_checkpoint import write_checkpoint
    from lintorch.cli.show_checkpoint_json import format_checkpoint_json
    from lintorch.cli.terminal import progress_on
    from lintorch.host.worker_process import WorkerError
    from lintorch.run.inspect_checkpoint import NoModelError, inspect_checkpoint
    from lintorch.run.request import CheckpointRequest
    from lintorch.settings import SettingsError

    context.params["paths"] = ()
    request = make_request(CheckpointRequest, context)
    try:
        with progress_on(sys.stderr, f"reading {request.file}") as progress:
            found = inspect_checkpoint(request, progress)
    except (CheckpointError, NoSectionError) as error:
        print_problems(sys.stderr, [f"{request.file}: {error}"])
        sys.exit(2)
    except OSError as error:
        print_problems(sys.stderr, [f"{request.file}: {error.strerror}"])
        sys.exit(2)
    except (NoModelError, SettingsError, WorkerError) as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    if request.output_format == "json":
        click.echo(format_checkpoint_json(found), nl=False)
    else:
        write_checkpoint(found, sys.stdout, all_keys=request.keys)
    print_problems(sys.stderr, found.notes)
    sys.exit(0 if found.is_fine else 1)
