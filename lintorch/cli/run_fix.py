"""From the options of `fix` to the files it writes and its exit code."""

from __future__ import annotations

from typing import TextIO

from lintorch.catalog import CatalogError
from lintorch.cli.problems import print_problems
from lintorch.cli.run_check import diff_lines
from lintorch.cli.terminal import FINDING_MODELS, progress_on
from lintorch.files import FileText, NotWritten, read_file, write_file
from lintorch.host.worker_process import WorkerError
from lintorch.report.result import Repaired
from lintorch.run.export_proofs import FixedExport, FixedText
from lintorch.run.fix_until_exported import fix_until_exported
from lintorch.run.request import CheckRequest, Rewritten
from lintorch.settings import SettingsError

RIGHT, WRONG, UNABLE = 0, 1, 2


def run_fix(request: CheckRequest, diff: bool, out: TextIO, err: TextIO) -> int:
    """The exit code: 0 the export is right, 1 it is not, 2 lintorch could not do its job."""
    try:
        with progress_on(err, FINDING_MODELS) as progress:
            fixed = fix_until_exported(request, progress)
        if not diff:
            _write_fixed(fixed)
    except (SettingsError, CatalogError, WorkerError, NotWritten, OSError) as error:
        print_problems(err, [error])
        return UNABLE
    print_problems(err, fixed.errors)
    if fixed.errors:
        return UNABLE
    for each in fixed.texts:
        rewritten = Rewritten(each.path, each.before, each.after, Repaired(each.path))
        out.writelines(diff_lines(rewritten))
    print_problems(err, fixed.told)
    return RIGHT if fixed.is_right else WRONG


def _write_fixed(fixed: FixedExport) -> None:
    """Raises NotWritten where a file is no longer what was tried; then none is written."""
    originals = [_read_again(each) for each in fixed.texts]
    for original, each in zip(originals, fixed.texts, strict=True):
        write_file(original, each.after)


def _read_again(fixed: FixedText) -> FileText:
    text = read_file(fixed.path)
    if not isinstance(text, FileText) or text.text != fixed.before:
        raise NotWritten(fixed.path, "changed while models ran; nothing was written")
    return text
