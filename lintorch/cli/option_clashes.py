"""Options of `check` and `export` that ask for two things which cannot both be done."""

from __future__ import annotations

from lintorch.cli.problems import UsageProblem
from lintorch.record.precisions import OWN
from lintorch.run.request import CheckRequest, ExportRequest


def refuse_export_clashes(request: ExportRequest) -> None:
    """Raises UsageProblem: a call is written of the model as it is built, and nothing is told beside it."""
    models = request.models
    if models.suggest and set(models.precisions) - {OWN}:
        raise UsageProblem("--suggest cannot be combined with --dtype")
    if models.suggest and models.timed:
        raise UsageProblem("--suggest cannot be combined with --time")


def refuse_clashes(request: CheckRequest) -> None:
    """Raises UsageProblem, which names the first two."""
    alone = {"--add-ignore": request.add_ignore, "--watch": request.watch}
    others = {
        "--fix": request.fix,
        "--fix-only": request.fix_only,
        "--diff": request.diff,
        "standard input": "-" in request.paths,
        "--show-files": request.show_files,
        "--show-settings": request.show_settings,
    }
    for option in (name for name, given in alone.items() if given):
        clash = next(
            (name for name, given in {**others, **alone}.items() if given and name != option), ""
        )
        if clash:
            raise UsageProblem(f"{option} cannot be combined with {clash}")
