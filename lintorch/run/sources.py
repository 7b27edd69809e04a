"""The source tier: from the text of a file to its findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import libcst as cst

from lintorch.catalog import Catalog, load
from lintorch.finding import Evidence, Finding, Place
from lintorch.lint import Index, index, lint, told
from lintorch.profile import Profile
from lintorch.rule import Rule
from lintorch.source import Source
from lintorch.source.across import Function
from lintorch.source.depth import too_deep
from lintorch.source.stack import deeply
from lintorch.suppress import mentions

TOO_DEEP = "its code is nested too deeply to be analysed; the file was not checked"
UNKNOWN_SYNTAX = "the parser (libcst) does not know this syntax; the file was not checked"


@dataclass(frozen=True)
class Task:
    """A file to lint with some rules for a profile."""

    path: str
    codes: frozenset[str]
    profile: Profile
    folders: tuple[str, ...] = ()
    """Folders of the project's own rules."""
    entered: frozenset[str] = frozenset()
    """The functions of the file that forward passes of other files call."""


@dataclass(frozen=True)
class Linted:
    """What source says of a file, and the other files that this was read from.

    `marked` tells that comments of the file speak to lintorch. `enters` are functions of other
    files (path, name) that run in its forward passes, `inside` its own functions that do; those
    `entered` from other files were known when it was looked at.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    consulted: tuple[str, ...] = ()
    marked: bool = False
    enters: frozenset[Function] = frozenset()
    inside: frozenset[str] = frozenset()
    entered: frozenset[str] = frozenset()
    content: str = ""
    """What stands for the bytes that were read."""


def lint_text(task: Task, text: str, content: str = "") -> Linted:
    """Findings in a text; one that does not parse gives LT001 and nothing else."""
    bare = Linted(task.path, marked=mentions(text), entered=task.entered, content=content)
    if not concerns_torch(text):
        return bare
    try:
        return deeply(lambda: _checked(task, text, bare))
    except RecursionError:
        return replace(bare, findings=(_refused(task, TOO_DEEP, Place(task.path, 1)),))
    except Exception as error:  # whatever goes wrong with one file, the others are checked
        return replace(bare, findings=(given_up(task, error),), content="")


def _checked(task: Task, text: str, bare: Linted) -> Linted:
    try:
        if too_deep(text):
            return replace(bare, findings=(_refused(task, TOO_DEEP, Place(task.path, 1)),))
    except (SyntaxError, ValueError) as error:
        return replace(bare, findings=(_syntax(task, error),))
    try:
        source = Source(task.path, text, task.profile, task.entered)
    except cst.ParserSyntaxError as error:
        place = Place(task.path, max(error.raw_line, 1), error.raw_column + 1)
        return replace(bare, findings=(_refused(task, UNKNOWN_SYNTAX, place),))
    linted = replace(
        bare,
        findings=tuple(lint(source, _index(task.codes, task.folders))),
        enters=source.enters,
        inside=source.regions.inside,
        consulted=tuple(sorted(source.consulted)),
    )
    vars(source).clear()  # facts point back at their source: without this the tree stays for long
    return linted


def concerns_torch(text: str) -> bool:
    """The cheap test before the parse: no hazard of torch without the word."""
    return "torch" in text


def engine_finding(rules: Catalog, code: str, message: str, place: Place) -> Finding:
    """A finding of lintorch itself; its rule's page gives name and gravity."""
    rule = rules.rules[code]
    return Finding(code, rule.name, message, rule.severity, place)


@cache
def catalog(folders: tuple[str, ...] = ()) -> Catalog:
    """The rules, loaded once per process. Raises CatalogError."""
    return load(folders)


@cache
def _index(codes: frozenset[str], folders: tuple[str, ...]) -> Index:
    return index(chosen(codes, folders), Evidence.SOURCE)


def chosen(codes: Iterable[str], folders: tuple[str, ...]) -> list[Rule]:
    """The rules with these codes, in the order of codes."""
    rules = catalog(folders).rules
    return [rules[code] for code in sorted(codes) if code in rules]


def _syntax(task: Task, error: Exception) -> Finding:
    row, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
    cause = getattr(error, "msg", None) or str(error)
    return _refused(
        task, f"this is not valid Python: {cause}", Place(task.path, row, max(column, 1))
    )


def given_up(task: Task, error: Exception | str) -> Finding:
    """The finding for a file that lintorch itself could not go through to its end."""
    cause = error if isinstance(error, str) else told(error)
    message = f"lintorch failed on this file, which was not checked: {cause}"
    return engine_finding(catalog(task.folders), "LT009", message, Place(task.path, 1))


def _refused(task: Task, message: str, place: Place) -> Finding:
    return engine_finding(catalog(task.folders), "LT001", message, place)
