"""`lintorch opset`: the lowest opset that takes a model, and the first releases of runtimes that take it."""

from __future__ import annotations

import sys
from typing import Any

import click

from lintorch.cli.problems import UsageProblem
from lintorch.cli.shared_options import paths_argument


def _find_runtimes(context: click.Context, parameter: click.Parameter, names: Any) -> Any:
    """Families or releases, as tables have them. Raises UsageProblem where there is no table of ONNX operators."""
    from lintorch.targets import TargetError
    from lintorch.targets.target_names import name_runtime

    try:
        return tuple(dict.fromkeys(map(name_runtime, names)))
    except TargetError as error:
        raise UsageProblem(str(error)) from error


@click.command("opset")
@paths_argument
@click.option(
    "--target", "runtimes", multiple=True, metavar="NAME", callback=_find_runtimes,
    help="A runtime to ask about, such as tensorrt, or a release of it; may be repeated. "
    "Default: onnxruntime, tensorrt and openvino.",
)  # fmt: skip
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option("--config", multiple=True, metavar="FILE|KEY=VALUE",
              help="Settings of this file only, or one of them as TOML; may be repeated.")  # fmt: skip
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """Say which ONNX opset and which runtimes the models of files need; runs nothing."""
    from lintorch.catalog import CatalogError
    from lintorch.cli.make_request import make_request
    from lintorch.cli.problems import print_problems
    from lintorch.cli.show_opsets import format_forecasts, format_forecasts_json
    from lintorch.run.foretell_opsets import foretell_opsets
    from lintorch.run.request import OpsetRequest
    from lintorch.settings import SettingsError

    request = make_request(OpsetRequest, context)
    try:
        found = foretell_opsets(request)
    except (SettingsError, CatalogError) as error:
        print_problems(sys.stderr, [error])
        sys.exit(2)
    as_json = request.output_format == "json"
    click.echo(format_forecasts_json(found) if as_json else format_forecasts(found), nl=False)
    print_problems(sys.stderr, [*found.notes, *found.errors])
    sys.exit(2 if found.errors else 0)
