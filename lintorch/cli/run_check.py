"""From the options of `check` to its report and exit code."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TextIO

from lintorch.catalog import CatalogError
from lintorch.cli.echo import tell
from lintorch.cli.progress import progress_on
from lintorch.cli.usage_problem import UsageProblem
from lintorch.core.finding import Severity
from lintorch.report import FORMATS, write_result
from lintorch.report.places import shown_path
from lintorch.run import Checked, CheckRequest, Rewritten, check
from lintorch.settings import SettingsError

CLEAN, FOUND, FAILED = 0, 1, 2


def run_check(request: CheckRequest, stdin: TextIO, out: TextIO, err: TextIO) -> int:
    """The exit code: 0 clean or all fixed, 1 findings, 2 lintorch could not do its job."""
    try:
        request = with_stdin(request, stdin)
        with progress_on(err) as progress:
            checked = check(request, progress)
        _write(checked, request, out)
    except BrokenPipeError:
        raise
    except (SettingsError, CatalogError, OSError, UnicodeDecodeError) as error:
        tell(err, [error])
        return FAILED
    tell(err, [*checked.notes, *checked.errors])
    if not checked.result.files and not _has_summary(request):
        tell(err, ["no Python files checked"])
    return exit_code(checked, request)


def _has_summary(request: CheckRequest) -> bool:
    """Whether the report ends in a line for people."""
    summed = FORMATS[request.output_format].has_summary
    return summed and not request.diff and not request.output_file


def with_stdin(request: CheckRequest, stdin: TextIO) -> CheckRequest:
    """The same request, about the text of standard input where `-` is its path. Raises UsageProblem."""
    if "-" not in request.paths:
        return request
    if len(request.paths) > 1:
        raise UsageProblem("`-` cannot be combined with other paths")
    if request.runs_models:
        raise UsageProblem("a text from standard input can be read, not run")
    return replace(request, paths=(request.stdin_filename or "stdin.py",), text=_read(stdin))


def exit_code(checked: Checked, request: CheckRequest) -> int:
    """What the process ends with."""
    if checked.errors:
        return FAILED
    if request.exit_zero:
        return CLEAN
    if request.diff:
        return FOUND if checked.rewritten else CLEAN
    least = Severity[request.fail_on.upper()]
    return FOUND if any(f.severity >= least for f in checked.result.findings) else CLEAN


def _read(stream: TextIO) -> str:
    """All of a stream, with its newlines as they are."""
    buffer = getattr(stream, "buffer", None)
    return buffer.read().decode("utf-8-sig") if buffer is not None else stream.read()


def _write(checked: Checked, request: CheckRequest, out: TextIO) -> None:
    if request.diff:
        out.writelines(line for file in checked.rewritten for line in _diff(file))
        return
    report_to = out
    if request.text is not None and request.fixes:
        out.write(checked.rewritten[0].after if checked.rewritten else request.text)
        report_to = sys.stderr
    if request.output_file:
        with open(request.output_file, "w", encoding="utf-8") as file:
            write_result(request.output_format, checked.result, file)
        return
    terminal = report_to.isatty()
    width = _columns() if terminal else None
    color = (terminal and "NO_COLOR" not in os.environ) or bool(os.environ.get("FORCE_COLOR"))
    write_result(request.output_format, checked.result, report_to, color=color, width=width)


def _columns() -> int:
    """The width of the terminal."""
    import shutil  # it loads every kind of archive

    return shutil.get_terminal_size().columns


def _diff(file: Rewritten) -> list[str]:
    """A unified diff that `patch` and `git apply` take."""
    import difflib

    path = shown_path(file.path)
    before, after = file.before.splitlines(keepends=True), file.after.splitlines(keepends=True)
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
    return [
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    ]
