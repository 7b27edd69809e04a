"""The settings of the open files, read anew when a file of settings has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator

from lintorch.catalog import CatalogError
from lintorch.files import find_files
from lintorch.run.request import CheckRequest
from lintorch.run.scope import Scope
from lintorch.settings import SettingsError
from lintorch.settings.settings_files import FILES

_Stamp = tuple[tuple[str, int, int], ...]


class CurrentScope:
    """Holds the last valid settings; `problem` says what is wrong with those that came after."""

    def __init__(self, request: CheckRequest) -> None:
        self._request = request
        self._scope: Scope | None = None
        self._stamps: dict[str, _Stamp] = {}
        self._excluded: dict[str, bool] = {}
        self.problem = ""

    def scope_for(self, path: str) -> Scope | None:
        """What holds for a file; None where there were no valid settings yet."""
        folder = os.path.dirname(path)
        stamp = tuple(_stamp_settings(folder))
        if self._scope is None or self._stamps.get(folder, stamp) != stamp:
            self._stamps, self._excluded = {}, {}
            self._read_anew(path)
        self._stamps[folder] = stamp
        return self._scope

    def is_excluded(self, path: str, scope: Scope) -> bool:
        """Whether settings leave a file out, even where it is named."""
        if path not in self._excluded:
            main = scope.main
            found = find_files([path], main.exclude_patterns, main.root, True, True)
            self._excluded[path] = not list(found)
        return self._excluded[path]

    def _read_anew(self, path: str) -> None:
        try:
            scope = Scope(self._request)
            scope.make_task(path)
        except (SettingsError, CatalogError) as error:
            self.problem = str(error)
        else:
            self._scope, self.problem = scope, ""


def _stamp_settings(folder: str) -> Iterator[tuple[str, int, int]]:
    """What tells that settings in a folder, or in those around it, have changed."""
    while True:
        for name in FILES:
            file = os.path.join(folder, name)
            try:
                found = os.stat(file)
            except OSError:
                continue
            yield file, found.st_mtime_ns, found.st_size
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent
