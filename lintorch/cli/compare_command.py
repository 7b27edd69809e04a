"""`lintorch compare`: why an .onnx file that exists computes something else than its model."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.shared_options import choice_options, limit_options


@click.command("compare")
@click.argument("model", metavar="MODEL")
@click.argument("file", metavar="FILE.onnx", type=click.Path(dir_okay=False))
@click.option("--checkpoint", default="", metavar="FILE", type=click.Path(dir_okay=False),
              help="The weights of the model: a state_dict, read with weights_only=True, or safetensors. "
              "Default: those that the .onnx file holds.")  # fmt: skip
@click.option("--own-weights", is_flag=True,
              help="Keep the weights that the model is built with, as where its code loads them.")  # fmt: skip
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@limit_options
@choice_options
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """Tell why FILE.onnx gives other numbers than MODEL, without exporting again.

    MODEL is file.py:Class, or file.py where the file has one model. It is built and fed as by
    `lintorch export`, given the weights of the file or of the checkpoint, and run beside ONNX
    Runtime: the first layer whose numbers part is told, and the cause where a run shows it.

    Exit codes: 0 the file computes what the model computes at all sizes tried, 1 it does not,
    2 lintorch could not do its job: no such model, no onnxruntime, a file that cannot be read.
    """
    from lintorch.catalog import CatalogError
    from lintorch.cli.make_request import make_request
    from lintorch.cli.problems import print_problems
    from lintorch.cli.show_compared_file import write_compared_file
    from lintorch.cli.show_compared_json import format_compared_json
    from lintorch.cli.terminal import FINDING_MODELS, progress_on
    from lintorch.host.worker_process import WorkerError
    from lintorch.run.compare_onnx import NotComparedError, compare_onnx
    from lintorch.run.request import CompareRequest
    from lintorch.settings import SettingsError

    context.params["paths"] = ()
    request = make_request(CompareRequest, context)
    try:
        with progress_on(sys.stderr, FINDING_MODELS) as progress:
            compared = compare_onnx(request, progress)
    except (NotComparedError, SettingsError, CatalogError, WorkerError) as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    if request.output_format == "json":
        click.echo(format_compared_json(compared), nl=False)
    else:
        write_compared_file(compared, sys.stdout)
    print_problems(sys.stderr, compared.notes)
    sys.exit(0 if compared.found.agrees else 1)
