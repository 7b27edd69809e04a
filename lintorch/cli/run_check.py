"""From the options of `check` to its report and exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from lintorch.catalog import CatalogError
from lintorch.cli.deployment_options import UsageProblem, deployed
from lintorch.cli.echo import tell
from lintorch.cli.limit_options import limited
from lintorch.cli.progress import progress_on
from lintorch.core.finding import Applicability, Severity
from lintorch.report import FORMATS, write_result
from lintorch.report.places import shown_path
from lintorch.run import Checked, Order, Rewritten, check
from lintorch.settings import SettingsError

CLEAN, FOUND, FAILED = 0, 1, 2


def run(given: Mapping[str, Any], stdin: TextIO, out: TextIO, err: TextIO) -> int:
    """The exit code: 0 clean or all fixed, 1 findings, 2 lintorch could not do its job."""
    try:
        asked = order(given, stdin)
        with progress_on(err) as progress:
            checked = check(asked, progress)
        _write(checked, asked, given, out)
    except BrokenPipeError:
        raise
    except (SettingsError, CatalogError, UsageProblem, OSError, UnicodeDecodeError) as error:
        tell(err, [error])
        return FAILED
    tell(err, [*checked.notes, *checked.errors])
    if not checked.result.files and not _has_summary(given):
        tell(err, ["no Python files checked"])
    return exit_code(checked, asked, given)


def _has_summary(given: Mapping[str, Any]) -> bool:
    """Whether the report ends in a line for people."""
    summed = FORMATS[given["output_format"]].has_summary
    return summed and not given["diff"] and not given["output_file"]


def order(given: Mapping[str, Any], stdin: TextIO) -> Order:
    """The order that the options amount to. Raises UsageProblem."""
    paths, text = given["paths"] or (".",), None
    if "-" in paths:
        if len(paths) > 1:
            raise UsageProblem("`-` cannot be combined with other paths")
        if given["trace"] or given["exporters"]:
            raise UsageProblem("a text from standard input can be read, not run")
        paths, text = (given["stdin_filename"] or "stdin.py",), _read(stdin)
    return Order(
        paths=paths,
        trace=given["trace"],
        exporters=tuple(dict.fromkeys(given["exporters"])),
        settings=_settings(given),
        fixes=_fixes(given),
        unsafe=given["unsafe_fixes"],
        diff=given["diff"],
        show_refuted=given["show_refuted"],
        jobs=given["jobs"],
        cache=not given["no_cache"],
        force_exclude=given["force_exclude"],
        python=given["python"],
        config=given["config"],
        rules=given["rules"],
        text=text,
    )


def exit_code(checked: Checked, asked: Order, given: Mapping[str, Any]) -> int:
    """What the process ends with."""
    if checked.errors:
        return FAILED
    if given["exit_zero"]:
        return CLEAN
    if asked.diff:
        return FOUND if checked.rewritten else CLEAN
    least = Severity[given["fail_on"].upper()]
    return FOUND if any(f.severity >= least for f in checked.result.findings) else CLEAN


def _settings(given: Mapping[str, Any]) -> dict[str, object]:
    selectors = {
        name: tuple(word.strip() for word in given[name].split(",") if word.strip())
        for name in ("select", "ignore", "extend_select")
        if given[name] is not None
    }
    return selectors | deployed(given) | limited(given)


def _fixes(given: Mapping[str, Any]) -> frozenset[Applicability]:
    """Which fixes go in: none without `--fix` or `--diff`, however wide the set is chosen."""
    if not (given["fix"] or given["diff"]):
        return frozenset()
    unsafe = {Applicability.UNSAFE} if given["unsafe_fixes"] else set()
    return frozenset({Applicability.SAFE, *unsafe})


def _read(stream: TextIO) -> str:
    """All of a stream, with its newlines as they are."""
    buffer = getattr(stream, "buffer", None)
    return buffer.read().decode("utf-8-sig") if buffer is not None else stream.read()


def _write(checked: Checked, asked: Order, given: Mapping[str, Any], out: TextIO) -> None:
    if asked.diff:
        out.writelines(line for file in checked.rewritten for line in _diff(file))
        return
    report_to = out
    if asked.text is not None and asked.fixes:
        out.write(checked.rewritten[0].after if checked.rewritten else asked.text)
        report_to = sys.stderr
    if given["output_file"]:
        with open(given["output_file"], "w", encoding="utf-8") as file:
            write_result(given["output_format"], checked.result, file)
        return
    terminal = report_to.isatty()
    width = _columns() if terminal else None
    color = (terminal and "NO_COLOR" not in os.environ) or bool(os.environ.get("FORCE_COLOR"))
    write_result(given["output_format"], checked.result, report_to, color=color, width=width)


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
