"""From the options of `export` to its matrix and exit code."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TextIO

from lintorch.catalog import CatalogError
from lintorch.cli.problems import print_problems
from lintorch.cli.terminal import FINDING_MODELS, choose_style, progress_on
from lintorch.files.file_text import replace_file
from lintorch.host.worker_process import WorkerError
from lintorch.report import write_matrix, write_suggestions
from lintorch.report.matrix import OK, UNAVAILABLE, Before, Matrix
from lintorch.report.matrix_record import make_record
from lintorch.report.places import shown_path
from lintorch.report.read_record import RecordError, read_record
from lintorch.run.export_matrix import export_models
from lintorch.run.request import ExportRequest
from lintorch.settings import SettingsError

RIGHT, WRONG, UNABLE = 0, 1, 2


def run_export(request: ExportRequest, out: TextIO, err: TextIO) -> int:
    """The exit code: 0 all right, 1 some are not, 2 lintorch could not do its job."""
    try:
        before = read_before(request.compare)
        with progress_on(err, FINDING_MODELS) as progress:
            matrix = replace(export_models(request, progress), before=before)
    except (RecordError, SettingsError, CatalogError, WorkerError, OSError) as error:
        print_problems(err, [error])
        return UNABLE
    if request.models.suggest:
        write_suggestions(request.output_format, matrix, out)
    else:
        _write_matrix(matrix, request, out)
    unwritten = [*_write_page(matrix, request.html)]
    print_problems(err, [*matrix.notes, *matrix.errors, *unwritten])
    if not matrix.rows:
        print_problems(err, ["no models found" if matrix.files else "no Python files found"])
    if unwritten:
        return UNABLE
    if request.models.suggest and exit_code_of_export(matrix) != UNABLE:
        return RIGHT if all_suggested(matrix) else WRONG
    return exit_code_of_export(matrix)


def read_before(path: str | None) -> Before | None:
    """What a run is compared with. Raises RecordError."""
    return None if path is None else Before(shown_path(path), read_record(path))


def all_suggested(matrix: Matrix) -> bool:
    """Whether each model has a call for each exporter, and all of them ran."""
    found = [each.outcome.suggested for row in matrix.rows for each in row.tried]
    good = bool(found) and all(each is not None and each.is_good for each in found)
    return good and all(row.failure is None for row in matrix.rows)


def exit_code_of_export(matrix: Matrix) -> int:
    """What the process ends with."""
    counted = matrix.count_statuses()
    if matrix.errors or not matrix.rows or UNAVAILABLE in counted:
        return UNABLE
    if matrix.before is not None:
        return WRONG if make_record(matrix)["changes"]["worse"] else RIGHT
    right = set(counted) <= {OK} and all(row.failure is None for row in matrix.rows)
    return RIGHT if right else WRONG


def _write_page(matrix: Matrix, path: str | None) -> Iterator[str]:
    """The page is put in place whole, or not at all; then it is said why."""
    if path is None:
        return
    page = io.StringIO()
    write_matrix("html", matrix, page)
    try:
        made = not os.path.exists(path)
        replace_file(path, page.getvalue().encode(), None if made else os.stat(path))
        if made:
            os.umask(mask := os.umask(0o077))
            os.chmod(path, 0o666 & ~mask)
    except OSError as error:
        yield f"{path}: {error.strerror or error}; no page was written"


def _write_matrix(matrix: Matrix, request: ExportRequest, out: TextIO) -> None:
    style = choose_style(out)
    write_matrix(request.output_format, matrix, out, color=style.color, width=style.width)
