"""Lints files: what is known from last time, the rest in several processes."""

from __future__ import annotations

import functools
import platform
from collections.abc import Mapping, Sequence

import libcst

from lintorch import __version__
from lintorch.cache import Cache, digest
from lintorch.files import Unreadable, read
from lintorch.finding import Place
from lintorch.profile import Profile
from lintorch.run.order import Order, Progress
from lintorch.run.pool import spread
from lintorch.run.sources import Linted, Task, catalog, engine_finding, lint_text


def lint_files(
    tasks: Sequence[Task], asked: Order, root: str, given: Mapping[str, str], progress: Progress
) -> list[Linted]:
    """What source says of each file, in the order of the tasks. `given` texts outweigh files."""
    if given:
        return [lint_text(task, given[task.path]) for task in tasks]
    caches = {} if not asked.cache else _caches(tasks, root)
    known: dict[str, Linted] = {}
    for task in tasks if caches else ():
        cache = caches[_terms(task)]
        if (findings := cache.get(task.path)) is not None:
            known[task.path] = Linted(task.path, findings, marked=cache.marked(task.path))
    todo = [task for task in tasks if task.path not in known]
    if todo:
        progress(f"reading {len(todo)} file{'' if len(todo) == 1 else 's'}")
    for task, linted in zip(todo, spread(lint_path, todo, asked.jobs), strict=True):
        known[task.path] = linted
        if caches and linted.content:
            caches[_terms(task)].put(
                task.path, linted.content, linted.findings, linted.consulted, linted.marked
            )
    for each in caches.values():
        each.save()
    return [known[task.path] for task in tasks]


def lint_path(task: Task) -> Linted:
    """What source says of a file as it lies on disk."""
    text = read(task.path)
    if isinstance(text, Unreadable):
        rules = catalog(task.folders)
        message = f"the file cannot be read: {text.cause}"
        return Linted(task.path, (engine_finding(rules, "LT008", message, Place(task.path, 1)),))
    return lint_text(task, text.text, digest(text.encode(text.text)))


def _caches(tasks: Sequence[Task], root: str) -> dict[str, Cache]:
    return {terms: Cache.open(root, terms) for terms in {_terms(task) for task in tasks}}


@functools.cache
def _releases(folders: tuple[str, ...]) -> str:
    python = platform.python_version()
    return f"{__version__} {python} {libcst.LIBCST_VERSION} {catalog(folders).fingerprint}"


def _terms(task: Task) -> str:
    """Everything but the file that the findings depend on."""
    return _spelled(task.codes, task.profile, task.folders)


@functools.cache
def _spelled(codes: frozenset[str], profile: Profile, folders: tuple[str, ...]) -> str:
    deployed = f"{sorted(profile.exporters)} {profile.opset} {profile.dynamic} {profile.torch}"
    return f"{_releases(folders)} {sorted(codes)} {deployed}"
