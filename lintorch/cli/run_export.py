"""From the options of `export` to its matrix and exit code."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from typing import Any, TextIO

from lintorch.catalog import CatalogError
from lintorch.cli.deployment_options import UsageProblem, deployed
from lintorch.cli.echo import tell
from lintorch.cli.limit_options import limited
from lintorch.cli.progress import progress_on
from lintorch.host.client import WorkerError
from lintorch.report import write_matrix
from lintorch.report.matrix import OK, UNAVAILABLE, Matrix
from lintorch.run.artifacts import Wanted
from lintorch.run.export_matrix import export_models
from lintorch.run.request import Order
from lintorch.settings import SettingsError

RIGHT, WRONG, UNABLE = 0, 1, 2


def run(given: Mapping[str, Any], out: TextIO, err: TextIO) -> int:
    """The exit code: 0 all right, 1 some are not, 2 lintorch could not do its job."""
    wanted = Wanted(given["output"] or "", given["repro"] or "")
    try:
        with progress_on(err) as progress:
            matrix = export_models(_order(given), wanted, progress)
    except (SettingsError, CatalogError, WorkerError, UsageProblem, OSError) as error:
        tell(err, [error])
        return UNABLE
    _write(matrix, given, out)
    tell(err, [*matrix.notes, *matrix.errors])
    if not matrix.rows:
        tell(err, ["no models found" if matrix.files else "no Python files found"])
    return exit_code(matrix)


def exit_code(matrix: Matrix) -> int:
    """What the process ends with."""
    counted = matrix.count()
    if matrix.errors or not matrix.rows or UNAVAILABLE in counted:
        return UNABLE
    right = set(counted) <= {OK} and all(row.failure is None for row in matrix.rows)
    return RIGHT if right else WRONG


def _order(given: Mapping[str, Any]) -> Order:
    return Order(
        paths=given["paths"] or (".",),
        exporters=tuple(dict.fromkeys(given["exporters"])),
        settings=deployed(given) | limited(given),
        jobs=given["jobs"],
        python=given["python"],
        config=given["config"],
        rules=given["rules"],
    )


def _write(matrix: Matrix, given: Mapping[str, Any], out: TextIO) -> None:
    terminal = out.isatty()
    width = shutil.get_terminal_size().columns if terminal else None
    color = (terminal and "NO_COLOR" not in os.environ) or bool(os.environ.get("FORCE_COLOR"))
    write_matrix(given["output_format"], matrix, out, color=color, width=width)
