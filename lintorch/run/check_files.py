"""One look at everything asked for: source, then runs and exports, merged and with suppressions heeded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from lintorch.core.codes import UNCHECKED_FILE
from lintorch.core.finding import Evidence, Finding, Place
from lintorch.core.merge import Merged, merge_findings, sort_findings
from lintorch.files import FileText
from lintorch.run.demote_fixes import demote_fixes
from lintorch.run.file_texts import HeldTexts, hold_texts, reread_after_runs
from lintorch.run.given_files import list_files
from lintorch.run.importers import Importers
from lintorch.run.lint_files import lint_files
from lintorch.run.lint_task import LintTask
from lintorch.run.request import Progress, Request
from lintorch.run.rule_catalog import engine_finding
from lintorch.run.scope import Scope

_LEFT_OUT = "changed while models ran; what they said of it is left out"


@dataclass(frozen=True)
class CheckedFiles:
    """What a look came to. `texts` holds the files that findings are in, as they were linted."""

    standing: tuple[Finding, ...] = ()
    withdrawn: tuple[Finding, ...] = ()
    texts: Mapping[str, FileText] = field(default_factory=dict)
    files: int = 0
    notebooks: int = 0
    models: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tasks: Mapping[str, LintTask] = field(default_factory=dict)
    """How the files with findings were linted."""
    changed: frozenset[str] = frozenset()
    """Files that are no longer what was linted."""
    left_out: tuple[str, ...] = ()
    """A line for each changed file that runs spoke of, which is not heard."""


def check_files(request: Request, scope: Scope, progress: Progress) -> CheckedFiles:
    """Raises SettingsError or CatalogError; what concerns one path or model is in the outcome."""
    files = list_files(request, scope)
    paths, errors = files.paths, files.errors
    given = {path: text for path in paths[:1] if (text := request.text) is not None}
    tasks = [scope.make_task(path) for path in paths]
    held = hold_texts(tasks, lint_files(tasks, request, scope.main.root, given, progress), given)
    ran = (
        _run_models(held, paths, request, scope, progress)
        if request.runs_models
        else _RunResults(held.texts)
    )
    merged = merge_findings([*(f for each in held.linted for f in each.findings), *ran.findings])
    marked = {each.path for each in held.linted if each.marked}
    heeded = sort_findings(_suppress_by_file(merged, ran.texts, marked, scope, request))
    standing = tuple(_demote_by_file(heeded, ran.texts, scope))
    return CheckedFiles(
        standing,
        merged.withdrawn,
        ran.texts,
        len(paths),
        files.notebooks,
        ran.models,
        errors + ran.errors,
        (*files.notes, *scope.unloaded_notes),
        {t.path: replace(t, entered=e.entered) for t, e in zip(tasks, held.linted, strict=True)},
        ran.changed,
        ran.left_out,
    )


@dataclass(frozen=True)
class _RunResults:
    """What runs say of files that are still what was linted."""

    texts: Mapping[str, FileText]
    findings: tuple[Finding, ...] = ()
    models: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    changed: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()


def _run_models(
    held: HeldTexts, paths: Sequence[str], request: Request, scope: Scope, progress: Progress
) -> _RunResults:
    """A file that changed meanwhile keeps its source findings: no row of a run is sure to fit."""
    from lintorch.run.run_models import run_models

    known = [finding for each in held.linted for finding in each.findings]
    ran = run_models(paths, known, request, scope, progress)
    said = tuple(f for f in ran.findings if f.code in scope.codes_of(f.place.path))
    texts, changed = reread_after_runs(held, said)
    left_out = sorted(changed & {finding.place.path for finding in said})
    return _RunResults(
        texts,
        tuple(finding for finding in said if finding.place.path not in changed),
        ran.lines,
        ran.errors,
        changed,
        tuple(f"{path}: {_LEFT_OUT}" for path in left_out),
    )


def _suppress_by_file(
    merged: Merged, texts: Mapping[str, FileText], marked: set[str], scope: Scope, request: Request
) -> Iterator[Finding]:
    """The findings that are not suppressed, and those about suppressions."""
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for finding in merged.standing:
        by_path[finding.place.path].append(finding)
    for path in sorted({*by_path, *marked}):
        if path in texts:
            text = texts[path].text
            yield from suppress_by_comments(
                text, path, by_path[path], scope, request, merged.withdrawn
            )
        else:
            yield from by_path[path]


def _demote_by_file(
    findings: Iterable[Finding], texts: Mapping[str, FileText], scope: Scope
) -> Iterator[Finding]:
    importers = Importers(scope)
    for path, group in groupby(findings, lambda finding: finding.place.path):
        if path in texts:
            yield from demote_fixes(group, texts[path].text, scope, importers)
        else:
            yield from group


def suppress_by_comments(
    text: str,
    path: str,
    findings: Iterable[Finding],
    scope: Scope,
    request: Request,
    withdrawn: Iterable[Finding] = (),
) -> tuple[Finding, ...]:
    """The findings of one file that its comments do not suppress, and those about the comments."""
    from lintorch.suppress import apply_suppressions, mentions_suppression

    if not mentions_suppression(text):
        return tuple(findings)
    decidable = _decidable_codes(scope, request)
    found = tuple(findings)
    try:
        return apply_suppressions(
            text,
            path,
            found,
            scope.catalog.names,
            scope.codes_of(path),
            decidable,
            withdrawn,
            scope.is_partial(path),
        )
    except Exception as error:  # whatever goes wrong with one file, the others are checked
        from lintorch.core.dispatch import describe_defect

        message = f"lintorch failed on the comments of this file, none was heeded: {describe_defect(error)}"
        return (*found, engine_finding(scope.catalog, UNCHECKED_FILE, message, Place(path, 1)))


def _decidable_codes(scope: Scope, request: Request) -> frozenset[str]:
    """The codes of rules that had a chance to find something in this run."""
    kinds = {Evidence.SOURCE}
    kinds |= {Evidence.TRACE} if request.runs_models else set()
    kinds |= {Evidence.EXPORT} if request.models.exporters else set()
    cards = scope.catalog.cards.values()
    return frozenset(card.code for card in cards if card.evidence & kinds)
