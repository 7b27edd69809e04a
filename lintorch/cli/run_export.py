"""From the options of `export` to its matrix and exit code."""

from __future__ import annotations

from dataclasses import replace
from typing import TextIO

from lintorch.catalog import CatalogError
from lintorch.cli.problems import print_problems
from lintorch.cli.show_record import RIGHT, UNABLE, WRONG, judge_record, show_record, write_page
from lintorch.cli.terminal import FINDING_MODELS, progress_on
from lintorch.host.worker_process import WorkerError
from lintorch.record.shard import WHOLE
from lintorch.report import write_suggestions
from lintorch.report.matrix import Before, Matrix
from lintorch.report.matrix_record import make_record
from lintorch.report.places import shown_path
from lintorch.report.read_record import RecordError, read_record
from lintorch.run.export_matrix import export_models
from lintorch.run.request import ExportRequest
from lintorch.settings import SettingsError


def run_export(request: ExportRequest, out: TextIO, err: TextIO) -> int:
    """The exit code: 0 all right, 1 some are not, 2 lintorch could not do its job."""
    try:
        before = read_before(request.compare)
        with progress_on(err, FINDING_MODELS) as progress:
            matrix = replace(export_models(request, progress), before=before)
    except (RecordError, SettingsError, CatalogError, WorkerError, OSError) as error:
        print_problems(err, [error])
        return UNABLE
    record = make_record(matrix)
    if request.models.suggest:
        unwritten = [*write_page(record, request.html)]
        write_suggestions(request.output_format, matrix, out)
    else:
        unwritten = show_record(record, request.output_format, request.html, out)
    print_problems(err, [*matrix.notes, *matrix.errors, *unwritten])
    if not matrix.rows and request.shard == WHOLE:
        print_problems(err, ["no models found" if matrix.files else "no Python files found"])
    code = UNABLE if matrix.errors or unwritten else judge_record(record)
    if code == UNABLE and request.shard != WHOLE and matrix.files and not matrix.rows:
        return UNABLE if matrix.errors or unwritten else RIGHT
    if request.models.suggest and code != UNABLE:
        return RIGHT if all_suggested(matrix) else WRONG
    return code


def read_before(path: str | None) -> Before | None:
    """What a run is compared with. Raises RecordError."""
    return None if path is None else Before(shown_path(path), read_record(path))


def all_suggested(matrix: Matrix) -> bool:
    """Whether each model has a call for each exporter, and all of them ran."""
    found = [each.outcome.suggested for row in matrix.rows for each in row.tried]
    good = bool(found) and all(each is not None and each.is_good for each in found)
    return good and all(row.failure is None for row in matrix.rows)
