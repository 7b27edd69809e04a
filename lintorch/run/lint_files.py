"""Lints files: what is known from last time, the rest in several processes."""

from __future__ import annotations

import functools
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lintorch.cache import Cache, digest_content
from lintorch.core.codes import UNREADABLE_FILE
from lintorch.core.file_views import begin_run
from lintorch.core.finding import Place
from lintorch.core.kept_answers import forget_answers
from lintorch.core.profile import Profile
from lintorch.files import FileText, UnreadableFile, read_file
from lintorch.run.lint_task import Linted, LintTask, concerns_torch, skip_text
from lintorch.run.process_pool import spread_tasks
from lintorch.run.request import Progress, Request
from lintorch.run.rule_catalog import (
    describe_releases,
    engine_finding,
    load_catalog,
    report_given_up,
)
from lintorch.run.tell_work import tell_cache

_ROUNDS = 4
"""Times that files are looked at, at most: each finds calls one file further from a forward pass."""


def lint_files(
    tasks: Sequence[LintTask],
    request: Request,
    root: str,
    given: Mapping[str, str],
    progress: Progress,
) -> list[Linted]:
    """What source says of each file, in the order of the tasks. `given` texts outweigh files.

    A file whose functions turn out to be called by a forward pass of another one is looked at
    again with that known, until no more such calls are found.
    """
    forget_answers()
    begin_run()
    if given:
        return [_lint_text(task, given[task.path]) for task in tasks]
    caches = {} if request.no_cache else _open_caches(tasks, root)
    known = {task.path: found for task in tasks if (found := _recall_file(task, caches))}
    todo = [task for task in tasks if task.path not in known]
    tell_cache(len(known), len(todo), request, progress)
    if todo:
        progress(f"reading {len(todo)} file{'' if len(todo) == 1 else 's'}")
    for _ in range(_ROUNDS):
        linting = spread_tasks(
            lint_path, todo, request.jobs, report_lost, functools.partial(_make_ready, todo)
        )
        for task, linted in zip(todo, linting, strict=True):
            known[task.path] = linted
            if caches and linted.content:
                _remember_file(linted, caches[_cache_terms(task)])
        todo = list(_find_outdated(tasks, known))
    for each in caches.values():
        each.save()
    return [known[task.path] for task in tasks]


def _find_outdated(tasks: Sequence[LintTask], known: Mapping[str, Linted]) -> Iterator[LintTask]:
    """What has to be looked at again, as other functions of it are called than was known."""
    entered: dict[str, set[str]] = defaultdict(set)
    for linted in known.values():
        for path, name in linted.enters:
            entered[path].add(name)
    for task in tasks:
        names, last = entered.get(os.path.abspath(task.path), set()), known[task.path]
        if names != last.entered and (last.entered or not names <= last.inside):
            yield replace(task, entered=frozenset(names))


def _recall_file(task: LintTask, caches: Mapping[str, Cache]) -> Linted | None:
    cache = caches.get(_cache_terms(task)) if caches else None
    findings = cache.get(task.path) if cache else None
    if cache is None or findings is None:
        return None
    marked, enters, inside, entered = cache.about(task.path) or (False, (), (), ())
    return Linted(
        task.path,
        findings,
        marked=marked,
        enters=frozenset((path, name) for path, name in enters),
        inside=frozenset(inside),
        entered=frozenset(entered),
        content=cache.content(task.path),
    )


def _remember_file(linted: Linted, cache: Cache) -> None:
    calls = (linted.enters, linted.inside, linted.entered)
    about = [linted.marked, *(sorted(each) for each in calls)]
    cache.put(
        linted.path,
        linted.content,
        linted.findings,
        linted.consulted,
        about if any(about) else None,
    )


def lint_path(task: LintTask) -> Linted:
    """What source says of a file as it lies on disk."""
    return lint_read(task, read_file(task.path))


def lint_read(task: LintTask, text: FileText | UnreadableFile) -> Linted:
    """What source says of what was read of a file."""
    if isinstance(text, UnreadableFile):
        rules = load_catalog(task.folders)
        message = f"the file cannot be read: {text.cause}"
        return Linted(
            task.path, (engine_finding(rules, UNREADABLE_FILE, message, Place(task.path, 1)),)
        )
    return _lint_text(task, text.text, digest_content(text.data))


def _lint_text(task: LintTask, text: str, content: str = "") -> Linted:
    """Loads parser and rules where the text needs them: they take longer than a small file."""
    if not concerns_torch(text):
        return skip_text(task, text, content)
    from lintorch.run.lint_file import lint_text

    return lint_text(task, text, content)


def _make_ready(tasks: Sequence[LintTask]) -> None:
    """Load what processes that are to be forked shall share."""
    import lintorch.run.lint_file  # noqa: F401

    for folders in {task.folders for task in tasks}:
        _ = load_catalog(folders).rules


def report_lost(task: LintTask) -> Linted:
    """What is left to say of a file that ended the process that was to lint it."""
    cause = "the process that read it crashed, or was killed"
    return Linted(
        task.path, (report_given_up(task.path, cause, task.folders),), entered=task.entered
    )


def _open_caches(tasks: Sequence[LintTask], root: str) -> dict[str, Cache]:
    return {terms: Cache.open(root, terms) for terms in {_cache_terms(task) for task in tasks}}


def _cache_terms(task: LintTask) -> str:
    """Everything but the file that the findings depend on."""
    terms = _spell_terms(task.codes, task.profile, task.folders)
    return f"{terms} runs" if task.awaits_runs else terms


@functools.cache
def _spell_terms(codes: frozenset[str], profile: Profile, folders: tuple[str, ...]) -> str:
    plain = replace(profile, exporters=frozenset(), stated=frozenset())
    deployed = f"{sorted(profile.exporters)} {sorted(profile.stated)} {plain}"
    return f"{describe_releases(load_catalog(folders).folders)} {sorted(codes)} {deployed}"
