"""`lintorch export --matrix`: the same exports by several interpreters, each compared with the one before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TextIO

from lintorch.catalog import CatalogError
from lintorch.cli.problems import UsageProblem, print_problems
from lintorch.cli.show_record import UNABLE, judge_record, show_record
from lintorch.cli.terminal import FINDING_MODELS, progress_on
from lintorch.host.worker_process import WorkerError
from lintorch.report.join_interpreters import join_interpreters
from lintorch.report.matrix_record import make_record
from lintorch.report.record_changes import Record
from lintorch.run.export_matrix import export_models
from lintorch.run.request import ExportRequest
from lintorch.settings import NamedPython, SettingsError


def run_interpreters(request: ExportRequest, out: TextIO, err: TextIO) -> int:
    """The exit code: 0 where no interpreter is worse than the one before, 1 where one is, 2 where one cannot work."""
    _refuse_clashes(request)
    records: list[tuple[str, str, Record]] = []
    problems: list[str] = []
    try:
        for name, path, one in _ask_each(request):
            with progress_on(err, FINDING_MODELS) as progress:
                matrix = export_models(one, progress)
            records.append((name, path, make_record(matrix)))
            problems += matrix.errors
    except (SettingsError, CatalogError, WorkerError, OSError) as error:
        print_problems(err, [error])
        return UNABLE
    joined = join_interpreters(records)
    problems += show_record(joined, request.output_format, request.html, out)
    print_problems(err, dict.fromkeys(problems))
    return UNABLE if problems else judge_record(joined)


def _ask_each(request: ExportRequest) -> Iterator[tuple[str, str, ExportRequest]]:
    """The same request of each interpreter, whose files go to a folder of its name."""
    for name, path in request.matrix:
        python = NamedPython(path, os.getcwd(), "--matrix")
        yield (
            name,
            path,
            replace(
                request,
                settings={**request.settings, "python": python},
                output=request.output and os.path.join(request.output, name),
                repro=request.repro and os.path.join(request.repro, name),
            ),
        )


def _refuse_clashes(request: ExportRequest) -> None:
    clashing = {
        "--python": request.settings.get("python"),
        "--suggest": request.models.suggest,
        "--compare": request.compare,
    }
    if given := [name for name, value in clashing.items() if value]:
        raise UsageProblem(f"--matrix names interpreters and compares them: leave out {given[0]}")
