"""One look at everything asked for: source, then runs and exports, merged and with suppressions heeded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lintorch.core.finding import Finding
from lintorch.core.merge import merge_findings, sort_findings
from lintorch.files import FileText
from lintorch.run.demote_fixes import demote_by_file
from lintorch.run.file_texts import HeldTexts, hold_texts, reread_after_runs
from lintorch.run.given_files import list_files
from lintorch.run.lint_files import lint_files
from lintorch.run.lint_task import LintTask
from lintorch.run.request import Progress, Request
from lintorch.run.scope import Scope
from lintorch.run.send_home import find_leads, send_home
from lintorch.run.suppress_findings import suppress_by_file
from lintorch.run.tell_work import tell_files

if TYPE_CHECKING:
    from lintorch.evidence import Trial

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
    unasked: tuple[Finding, ...] = ()
    """Findings that are not shown because advice was not asked for."""
    paths: Sequence[str] = ()
    """The files that were looked at."""
    trials: tuple[Trial, ...] = ()
    """The trial exports, where the request keeps them."""
    leads: Mapping[str, tuple[LintTask, ...]] = field(default_factory=dict)
    """By the path of a file, those whose models lead to lines of it that have fixes."""
    known: tuple[Finding, ...] = ()
    """Findings that are not shown because a baseline, or the tree before a change, has them."""


def check_files(request: Request, scope: Scope, progress: Progress) -> CheckedFiles:
    """Raises SettingsError or CatalogError; what concerns one path or model is in the outcome."""
    files = list_files(request, scope)
    paths, errors = files.paths, files.errors
    tell_files(paths, scope, request, progress)
    given = {path: text for path in paths[:1] if (text := request.text) is not None}
    tasks = [scope.make_task(path) for path in paths]
    linted = lint_files(tasks, request, scope.main.root, given, progress)
    held = hold_texts(tasks, send_home(linted, tasks), given)
    ran = (
        _run_models(held, paths, request, scope, progress)
        if request.runs_models
        else _RunResults(held.texts)
    )
    return replace(
        join_tiers(tasks, HeldTexts(held.linted, ran.texts), ran.findings, scope, request),
        files=len(paths),
        notebooks=files.notebooks,
        models=ran.models,
        errors=errors + ran.errors,
        notes=(*files.notes, *scope.unloaded_notes, *ran.notes),
        changed=ran.changed,
        left_out=ran.left_out,
        trials=ran.trials,
        leads=find_leads(linted, tasks),
    )


def join_tiers(
    tasks: Sequence[LintTask],
    held: HeldTexts,
    ran: Iterable[Finding],
    scope: Scope,
    request: Request,
) -> CheckedFiles:
    """What source and runs say of these files, as one, with suppressions and settings heeded."""
    merged = merge_findings([*(f for each in held.linted for f in each.findings), *ran])
    marked = {each.path for each in held.linted if each.marked}
    heeded = sort_findings(suppress_by_file(merged, held.texts, marked, scope, request))
    wanted = [finding for finding in heeded if scope.is_wanted(finding)]
    return CheckedFiles(
        tuple(demote_by_file(wanted, held.texts, scope)),
        merged.withdrawn,
        held.texts,
        tasks={
            t.path: replace(t, entered=e.entered) for t, e in zip(tasks, held.linted, strict=True)
        },
        unasked=tuple(finding for finding in heeded if not scope.is_wanted(finding)),
        paths=[task.path for task in tasks],
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
    trials: tuple[Trial, ...] = ()
    notes: tuple[str, ...] = ()


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
        ran.trials,
        ran.notes,
    )
