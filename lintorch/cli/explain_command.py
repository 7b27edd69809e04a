"""`lintorch explain`: what is known of the values on a line, of the warnings in a log, or of a node of an .onnx file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from lintorch.cli.problems import UsageProblem
from lintorch.cli.shared_options import exporter_option, limit_options, python_option

if TYPE_CHECKING:
    from lintorch.run.request import ExplainRequest


@click.command("explain")
@click.argument("place", metavar="[FILE:LINE|MODEL.onnx]", required=False, default="")
@click.argument("paths", metavar="[PATHS]...", nargs=-1)
@click.option("--node", multiple=True, metavar="NAME",
              help="Tell which line made this node or value of MODEL.onnx; may be repeated.")  # fmt: skip
@click.option("--log", default="", metavar="FILE",
              help="Answer the warnings and errors in the log of an export or runtime; - reads standard input.")  # fmt: skip
@click.option("--trace", is_flag=True,
              help="Run the models: of the files that --log names, or to export again the model of --node.")  # fmt: skip
@exporter_option(
    "--export",
    help="The exporter that the log, or the .onnx file, is of. Default: what it looks like.",
)  # fmt: skip
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@limit_options
@python_option
@click.pass_context
def command(context: click.Context, /, **_: Any) -> None:
    """Show what each value on a line is, by the ways in which models lead there; runs nothing.

    FILE:FIRST-LAST asks for several lines, FILE alone for all. The models are those of the file;
    where they do not lead there, those of files that import it. PATHS name others instead.

    With --log each TracerWarning in the log of an export is answered, whether it matters, and the
    error that it ends with. Messages of runtimes (ONNX Runtime, TensorRT, OpenVINO, Core ML, ncnn, …)
    and exporters are explained, with the lines of PATHS, or below the working directory, that may be
    their cause; with MODEL.onnx the node that they name is led to its line. Exit code 1 where one
    matters or is not known, 0 where all are harmless. --trace runs models, PATHS too.

    With --node the line is told that made a node of MODEL.onnx, as the file says it, or else as the
    project's files do, PATHS or those below the working directory; with --trace they are run, and
    exported again. Exit code 1 where it is not found.
    """
    from lintorch.cli.make_request import make_request
    from lintorch.run.request import ExplainRequest

    request = make_request(ExplainRequest, context)
    if request.log:
        sys.exit(_answer_log(request))
    if request.node or request.place.endswith(".onnx"):
        sys.exit(_explain_nodes(request))
    if request.models.trace or request.models.exporters:
        raise UsageProblem("--trace and --export are for --log and --node")
    if not request.place:
        raise UsageProblem("name FILE:LINE, or the log of an export by --log")
    sys.exit(_explain_line(request))


def _explain_line(request: ExplainRequest) -> int:
    from lintorch.cli.problems import print_problems
    from lintorch.cli.show_values import format_contexts, format_contexts_json
    from lintorch.run.explain_lines import NoLineError, explain_lines
    from lintorch.settings import SettingsError

    try:
        explained = explain_lines(request)
    except (NoLineError, SettingsError) as error:
        print_problems(sys.stderr, [error])
        return 2
    if request.output_format == "json":
        click.echo(format_contexts_json(explained.contexts), nl=False)
    else:
        click.echo(format_contexts(explained.contexts), nl=False)
    silence = f"{request.place}: {explained.silence}" if explained.silence else ""
    print_problems(sys.stderr, [*([silence] if silence else []), *explained.notes])
    return 1 if silence else 0


def _explain_nodes(request: ExplainRequest) -> int:
    from lintorch.catalog import CatalogError
    from lintorch.cli.problems import print_problems
    from lintorch.cli.show_nodes import format_nodes_json, write_nodes
    from lintorch.cli.terminal import progress_on
    from lintorch.host.worker_process import WorkerError
    from lintorch.onnx_file import NoNodeError, OnnxFileError
    from lintorch.run.explain_node import explain_nodes
    from lintorch.settings import SettingsError

    if not request.node:
        raise UsageProblem(f"name a node of {request.place} by --node")
    if not request.place:
        raise UsageProblem("name the .onnx file that has the node")
    try:
        with progress_on(sys.stderr, f"reading {request.place}") as progress:
            explained = explain_nodes(request.place, request.node, request, progress)
    except (SettingsError, CatalogError, WorkerError) as error:
        print_problems(sys.stderr, [error])
        return 2
    except (OnnxFileError, NoNodeError, OSError) as error:
        cause = error.strerror if isinstance(error, OSError) else str(error)
        print_problems(sys.stderr, [f"{request.place}: {cause}"])
        return 2
    if request.output_format == "json":
        click.echo(format_nodes_json(explained), nl=False)
    else:
        write_nodes(explained, sys.stdout)
    print_problems(sys.stderr, explained.notes)
    return 0 if all(each.line for each in explained.answers) else 1


def _answer_log(request: ExplainRequest) -> int:
    from lintorch.catalog import CatalogError
    from lintorch.cli.problems import print_problems
    from lintorch.cli.show_answers import format_answers_json, write_answers
    from lintorch.cli.terminal import progress_on
    from lintorch.run.answer_log import answer_log
    from lintorch.run.read_export_log import LogError
    from lintorch.settings import SettingsError

    try:
        with progress_on(sys.stderr, "reading the log") as progress:
            answered = answer_log(request, _read_bytes(request.log), progress)
    except (SettingsError, CatalogError) as error:
        print_problems(sys.stderr, [error])
        return 2
    except (LogError, OSError) as error:
        cause = error.strerror if isinstance(error, OSError) else str(error)
        print_problems(sys.stderr, [f"{request.log}: {cause}"])
        return 2
    if request.output_format == "json":
        click.echo(format_answers_json(answered), nl=False)
    else:
        write_answers(request.log, answered, sys.stdout)
    print_problems(sys.stderr, answered.notes)
    return 0 if answered.all_harmless else 1


def _read_bytes(path: str) -> bytes:
    """All of a log, and one byte more than a log may have."""
    from lintorch.run.read_export_log import MOST_BYTES

    if path == "-":
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    with open(path, "rb") as file:
        return file.read(MOST_BYTES + 1)
