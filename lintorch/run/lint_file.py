"""The source tier: from the text of a file to its findings."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import libcst as cst

from lintorch.core.codes import SYNTAX_ERROR
from lintorch.core.dispatch import Index, index_detectors, lint_subject
from lintorch.core.finding import Evidence, Finding, Place
from lintorch.core.rule import Rule
from lintorch.run.lint_task import Linted, LintTask, concerns_torch, skip_text
from lintorch.run.rule_catalog import engine_finding, load_catalog, report_given_up
from lintorch.source import Source
from lintorch.syntax.dead_rows import list_dead_rows
from lintorch.syntax.deep_stack import call_deeply
from lintorch.syntax.nesting_depth import is_too_deep

TOO_DEEP = "its code is nested too deeply to be analysed; the file was not checked"
UNKNOWN_SYNTAX = "the parser (libcst) does not know this syntax; the file was not checked"


def lint_text(task: LintTask, text: str, content: str = "") -> Linted:
    """Findings in a text; one that does not parse gives one finding and nothing else."""
    bare = skip_text(task, text, content)
    if not concerns_torch(text):
        return bare
    try:
        return call_deeply(lambda: _lint_source(task, text, bare))
    except RecursionError:
        return replace(bare, findings=(_report_unparsed(task, TOO_DEEP, Place(task.path, 1)),))
    except Exception as error:  # whatever goes wrong with one file, the others are checked
        return replace(
            bare, findings=(report_given_up(task.path, error, task.folders),), content=""
        )


def _lint_source(task: LintTask, text: str, bare: Linted) -> Linted:
    try:
        if is_too_deep(text):
            return replace(bare, findings=(_report_unparsed(task, TOO_DEEP, Place(task.path, 1)),))
    except (SyntaxError, ValueError) as error:
        return replace(bare, findings=(_report_syntax(task, text, error),))
    try:
        source = Source(task.path, text, task.profile, task.entered, task.brief, task.awaits_runs)
    except cst.ParserSyntaxError as error:
        place = Place(task.path, max(error.raw_line, 1), error.raw_column + 1)
        return replace(bare, findings=(_report_unparsed(task, UNKNOWN_SYNTAX, place),))
    found = list(lint_subject(source, _index_rules(task.codes, task.folders, source.is_test)))
    dead = list_dead_rows(text) if found else ()
    return replace(
        bare,
        findings=tuple(f for f in found if not any(f.place.row in rows for rows in dead)),
        enters=source.enters,
        inside=source.regions.functions_inside,
        consulted=tuple(sorted(source.consulted)),
    )


@cache
def _index_rules(codes: frozenset[str], folders: tuple[str, ...], is_test: bool) -> Index:
    rules = (each for each in choose_rules(codes, folders) if each.in_tests or not is_test)
    return index_detectors(rules, Evidence.SOURCE)


def choose_rules(codes: Iterable[str], folders: tuple[str, ...]) -> list[Rule]:
    """The rules with these codes, in the order of codes."""
    rules = load_catalog(folders).rules
    return [rules[code] for code in sorted(codes) if code in rules]


def _report_syntax(task: LintTask, text: str, error: Exception) -> Finding:
    row, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
    cause = getattr(error, "msg", None) or str(error)
    line = getattr(error, "text", None) or ""
    place = Place(task.path, row, max(column, 1))
    if _is_newer(text, cause):
        said = f"this is not valid in Python {_OWN_PYTHON}, which lintorch runs in: {cause}"
        return replace(_report_unparsed(task, said, place), remedy=_NEWER)
    found = _report_unparsed(task, f"this is not valid Python: {cause}", place)
    told = (remedy for words, remedy in _OLD_SYNTAX if words in line or words in cause)
    remedy = next(told, found.remedy)
    return replace(found, remedy=remedy, cause="" if remedy == _LEAVE_OUT else remedy)


def _is_newer(text: str, cause: str) -> bool:
    """Whether it is Python 3.12, which libcst reads in any: `type Pair = …`, `f"{rows["name"]}"`."""
    if sys.version_info >= (3, 12):
        return False
    try:
        nodes: list[cst.CSTNode] = [cst.parse_module(text)]
    except (cst.ParserSyntaxError, ValueError, RecursionError):
        return False
    if cause.startswith("f-string"):
        return True
    for node in nodes:
        if isinstance(node, (cst.TypeAlias, cst.TypeParameters)):
            return True
        nodes += node.children
    return False


def _report_unparsed(task: LintTask, message: str, place: Place) -> Finding:
    found = engine_finding(load_catalog(task.folders), SYNTAX_ERROR, message, place)
    return replace(found, remedy=_LEAVE_OUT)


_OWN_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
_NEWER = "install lintorch in the Python that the project is for"
_LEAVE_OUT = "mend it, or name the file in `exclude`"
_OLD_PYTHON = "this is Python 2: convert it, or name the file in `exclude`"
_OLD_SYNTAX = (
    ("async=", "async is a keyword since Python 3.7: write non_blocking=True for async=True"),
    ("call to 'print'", _OLD_PYTHON),
    ("multiple exception types", _OLD_PYTHON),
)
"""Of what was valid once: words of the line, or of what Python says of it."""
