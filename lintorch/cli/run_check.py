"""From the options of `check` to its report and exit code."""

from __future__ import annotations

import sys
from dataclasses import replace
from io import StringIO
from typing import TextIO

from lintorch.baseline import BaselineError
from lintorch.catalog import CatalogError
from lintorch.cli.problems import UsageProblem, print_problems
from lintorch.cli.terminal import FINDING_MODELS, TextStyle, choose_style, progress_on
from lintorch.files.git_changes import RepositoryError
from lintorch.report import FORMATS, Result, write_result
from lintorch.report.characters import join_lines, make_writable
from lintorch.report.places import shown_path
from lintorch.report.statistics import STATISTICS_FORMATS, write_statistics
from lintorch.report.styled_lines import Screen
from lintorch.run import (
    Checked,
    CheckRequest,
    Choose,
    Progress,
    Rewritten,
    check_and_fix,
    list_checked,
)
from lintorch.settings import SettingsError

CLEAN, FOUND, FAILED = 0, 1, 2
_TOLD = SettingsError, CatalogError, BaselineError, RepositoryError


def run_check(request: CheckRequest, stdin: TextIO, out: TextIO, err: TextIO) -> int:
    """The exit code: 0 clean or all fixed, 1 findings, 2 lintorch could not do its job."""
    try:
        request = fill_from_stdin(request, stdin)
        if request.show_files:
            return _show_files(request, out, err)
        if request.show_settings:
            return _show_settings(request, out, err)
        refuse_silent_walk(request, stdin, out)
        first = FINDING_MODELS if request.runs_models or request.verify else ""
        with progress_on(err, first, request.verbose) as progress:
            if request.add_ignore:
                return _add_ignores(request, progress, out, err)
            checked = check_and_fix(request, progress, _make_asker(request, out, progress))
            if request.verbose:
                progress("done")
        _write_report(checked, request, out)
    except BrokenPipeError:
        raise
    except (*_TOLD, OSError, UnicodeDecodeError) as error:
        print_problems(err, [error])
        return FAILED
    if request.silent:
        return exit_code_of_check(checked, request)
    print_problems(err, [*(() if request.quiet else checked.notes), *checked.errors])
    if not checked.result.files and not _has_summary(request):
        print_problems(err, ["no Python files checked"])
    return exit_code_of_check(checked, request)


def refuse_silent_walk(request: CheckRequest, stdin: TextIO, out: TextIO) -> None:
    """Raises UsageProblem where each fix is to be asked about, and nobody can be asked."""
    if not request.interactive:
        return
    if not request.fix or request.diff or request.verify:
        raise UsageProblem("--interactive goes with --fix, and without --diff and --verify")
    if request.text is not None or not (stdin.isatty() and out.isatty()):
        raise UsageProblem("--interactive asks on a terminal, and this is none: leave it out")


def _make_asker(request: CheckRequest, out: TextIO, progress: Progress) -> Choose | None:
    if not request.interactive:
        return None
    from lintorch.cli.ask_fixes import Asker

    style = choose_style(out, request.color)
    return Asker(out, Screen.of(out, style.color, style.width), request.fixes, progress)


def _has_summary(request: CheckRequest) -> bool:
    """Whether the report ends in a line for people."""
    summed = FORMATS[request.output_format].has_summary
    return summed and not request.diff and not request.output_file


def fill_from_stdin(request: CheckRequest, stdin: TextIO) -> CheckRequest:
    """The same request, about the text of standard input where `-` is its path. Raises UsageProblem."""
    if "-" not in request.paths:
        return request
    if len(request.paths) > 1:
        raise UsageProblem("`-` cannot be combined with other paths")
    if request.runs_models or request.verify:
        raise UsageProblem("a text from standard input can be read, not run")
    if request.diff_base:
        raise UsageProblem("a text from standard input cannot be compared with a revision")
    return replace(request, paths=(request.stdin_filename or "stdin.py",), text=_read_all(stdin))


def exit_code_of_check(checked: Checked, request: CheckRequest) -> int:
    """What the process ends with."""
    if checked.errors:
        return FAILED
    if request.exit_zero:
        return CLEAN
    if request.diff or (request.exit_non_zero_on_fix and checked.result.fixed):
        return FOUND if checked.rewritten else CLEAN
    if request.fix_only:
        return CLEAN
    return FOUND if any(f.severity >= checked.fail_on for f in checked.result.findings) else CLEAN


def _read_all(stream: TextIO) -> str:
    """All of a stream, with its newlines as they are."""
    buffer = getattr(stream, "buffer", None)
    return buffer.read().decode("utf-8-sig") if buffer is not None else stream.read()


def _write_report(checked: Checked, request: CheckRequest, out: TextIO) -> None:
    if request.diff:
        out.writelines(line for file in checked.rewritten for line in diff_lines(file))
        return
    report_to = out
    result = checked.result
    if request.fix_only:
        result = replace(result, findings=(), withdrawn=(), advice=0)
    if request.text is not None and request.fixes:
        out.write(checked.rewritten[0].after if checked.rewritten else request.text)
        report_to = sys.stderr
    for name, path in request.reports:
        with open(path, "w", encoding="utf-8") as file:
            write_result(name, result, file)
    if request.output_file:
        with open(request.output_file, "w", encoding="utf-8") as file:
            _write_result(result, request, file, TextStyle(request.color == "always", None))
    elif not request.silent:
        _write_result(result, request, report_to, choose_style(report_to, request.color))


def _write_result(result: Result, request: CheckRequest, out: TextIO, style: TextStyle) -> None:
    """The report, or how often each rule found something. Raises UsageProblem."""
    name = request.output_format
    if not request.statistics:
        write_result(name, result, out, color=style.color, width=style.width)
    elif name in STATISTICS_FORMATS:
        write_statistics(name, result, out)
    else:
        raise UsageProblem(f"--statistics takes the formats {', '.join(STATISTICS_FORMATS)}")


def _show_files(request: CheckRequest, out: TextIO, err: TextIO) -> int:
    """List the files that would be checked."""
    listed = list_checked(request)
    for path in listed.paths:
        out.write(make_writable(join_lines(shown_path(path)), out) + "\n")
    print_problems(err, [*listed.notes, *listed.errors])
    return FAILED if listed.errors else CLEAN


def _show_settings(request: CheckRequest, out: TextIO, err: TextIO) -> int:
    """Tell the settings that hold for each of the files, and where they come from."""
    from lintorch.cli.show_settings import write_settings

    problems = write_settings(request, out)
    print_problems(err, problems)
    return FAILED if problems else CLEAN


def _add_ignores(request: CheckRequest, progress: Progress, out: TextIO, err: TextIO) -> int:
    """Suppress what is found, and say how much that is."""
    from lintorch.report.summary_line import write_count
    from lintorch.run.add_ignores import add_ignores

    added = add_ignores(request, progress)
    if not request.quiet:
        told = f"Added {write_count(added.findings, 'suppression')}"
        out.write(f"{told} in {write_count(added.files, 'file')}.\n")
    print_problems(err, [*added.notes, *added.errors])
    return FAILED if added.errors else CLEAN


def diff_lines(file: Rewritten) -> list[str]:
    """A unified diff that `patch` and `git apply` take; of a notebook, one for each cell."""
    import difflib

    path = shown_path(file.path)
    parts = [(f":cell {n}", *texts) for n, *texts in file.cells] or [("", file.before, file.after)]
    lines = [
        line
        for cell, before, after in parts
        for line in difflib.unified_diff(
            _split_as_patch(before),
            _split_as_patch(after),
            f"a/{path}{cell}",
            f"b/{path}{cell}",
        )
    ]
    return [
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    ]


def _split_as_patch(text: str) -> list[str]:
    """The lines of a text, ended by line feeds alone: `patch` takes all else for part of a line."""
    return StringIO(text, newline="\n").readlines()
