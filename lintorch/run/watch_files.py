"""What has changed among the files of a check, by looking at them again: every system allows that."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from lintorch.catalog import CatalogError
from lintorch.run.given_files import list_files
from lintorch.run.importers import Importers
from lintorch.run.request import CheckRequest
from lintorch.run.scope import Scope
from lintorch.settings import SettingsError
from lintorch.settings.settings_files import FILES

Stamps = dict[str, tuple[int, ...]]
"""By path what changes with what a file holds."""


def read_stamps(request: CheckRequest) -> Stamps:
    """The files of a check as they are now, and those whose settings hold for them."""
    return dict(_look_at([*_list_checked(request), *_list_settings(request.paths)]))


def list_changed(before: Stamps, after: Stamps) -> list[str]:
    """The paths that are new, gone or other than they were."""
    return [path for path in {**before, **after} if before.get(path) != after.get(path)]


def choose_again(request: CheckRequest, changed: Collection[str]) -> CheckRequest:
    """What to check after these have changed: all, where source is read, for the cache knows the rest.

    Models are run only of files that have changed, and of those that import them; all after a
    change of settings.
    """
    changed = [path for path in changed if os.path.exists(path)]
    if not request.runs_models or any(os.path.basename(path) in FILES for path in changed):
        return request
    scope = Scope(request)
    importers = Importers(scope)
    around = {os.path.realpath(p) for path in changed for p in importers.list_importers(path)}
    own = {os.path.realpath(path) for path in changed}
    listed = list_files(request, scope).paths
    paths = tuple(path for path in listed if os.path.realpath(path) in around | own)
    return replace(request, paths=paths) if paths else request


def _list_checked(request: CheckRequest) -> Iterable[str]:
    """Nothing while settings cannot be read: they are watched themselves."""
    try:
        return list_files(request, Scope(request)).paths
    except (SettingsError, CatalogError):
        return ()


def _list_settings(paths: Iterable[str]) -> Iterator[str]:
    given = [Path(os.path.abspath(path)) for path in paths]
    folders = {folder for path in given for folder in (path, *path.parents)}
    yield from (str(folder / name) for folder in sorted(folders) for name in FILES)


def _look_at(paths: Iterable[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    for path in paths:
        try:
            found = os.stat(path)
        except OSError:
            continue
        yield path, (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
