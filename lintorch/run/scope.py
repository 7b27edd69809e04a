"""What holds for each file of a run: its settings, its rules and what its project deploys with."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property

from lintorch.cache import Cache
from lintorch.catalog import Catalog
from lintorch.core.profile import Profile
from lintorch.facts.deployment import Release
from lintorch.run.lint_task import Task
from lintorch.run.project_exports import read_deployed
from lintorch.run.request import Order
from lintorch.run.rule_catalog import catalog, releases
from lintorch.run.unloaded_rules import note_unloaded
from lintorch.settings import (
    Closest,
    Settings,
    enabled,
    fixable,
    load,
    not_loaded,
    override,
    rules_asked_for,
)

_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


class Scope:
    """Answers by path; each settings file and each project is read once.

    Raises SettingsError and CatalogError, from the constructor or when first asked.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        self._closest = Closest()
        self._fixed = load(order.config) if order.config else None
        self._overridden: dict[int, Settings] = {}
        self._profiles: dict[tuple[int, str], Profile] = {}
        self._projects: dict[str, str] = {}
        self._fixable: dict[int, frozenset[str]] = {}
        self._folders = rules_asked_for(order.rules)
        self.main = self.settings(order.paths[0] if order.paths else ".")

    @cached_property
    def catalog(self) -> Catalog:
        """Built-in rules, those of plugins, and those that who runs lintorch asks for."""
        return catalog(self._folders, kept=self._order.cache)

    @property
    def notes(self) -> tuple[str, ...]:
        """What settings met so far name and was not loaded: one line, or none."""
        return note_unloaded(self._overridden.values(), self._folders)

    def is_partial(self, path: str) -> bool:
        """Whether settings of a file name rules that are not loaded."""
        return bool(not_loaded(self.settings(path), self._folders))

    def settings(self, path: str) -> Settings:
        """The closest settings, outweighed by the command line."""
        found = self._fixed or self._closest.of(path)
        if id(found) not in self._overridden:
            self._overridden[id(found)] = override(found, **self._order.settings)
        return self._overridden[id(found)]

    def codes(self, path: str) -> frozenset[str]:
        """The codes of the rules that are on for a file."""
        return enabled(self.settings(path), self.catalog, path)

    def fixable(self, path: str) -> frozenset[str]:
        """The codes of the rules whose fixes may go in."""
        settings = self.settings(path)
        if id(settings) not in self._fixable:
            self._fixable[id(settings)] = fixable(settings, self.catalog)
        return self._fixable[id(settings)]

    def task(self, path: str) -> Task:
        """How to lint a file."""
        return Task(path, self.codes(path), self.profile(path), self._folders)

    def profile(self, path: str) -> Profile:
        """As set, else as the project's export calls show, with the exporters tried in this run."""
        settings, project = self.settings(path), self.project(path)
        key = id(settings), project
        if key not in self._profiles:
            told = settings.exporters is not None and settings.dynamic is not None
            torch = settings.target_torch or Profile().torch
            found = None if told else self._deployed(project, settings, torch)
            profile = settings.profile(found)
            tried = frozenset(self._order.exporters)
            self._profiles[key] = replace(
                profile, exporters=profile.exporters | tried, stated=profile.stated | tried
            )
        return self._profiles[key]

    def project(self, path: str) -> str:
        """The folder of the project that a file belongs to; "" where nothing marks one."""
        folder = os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path) or ".")
        if folder not in self._projects:
            self._projects[folder] = _marked(folder)
        return self._projects[folder]

    def _deployed(self, project: str, settings: Settings, torch: Release) -> Profile | None:
        terms = f"exports {torch} {releases(self.catalog.folders)}"
        cache = Cache.open(project or ".", terms) if self._order.cache else None
        places = [project] if project else self._order.paths
        return read_deployed(places, settings, torch, cache)


def _marked(folder: str) -> str:
    """The closest folder around that holds what marks a project."""
    while not any(os.path.exists(os.path.join(folder, marker)) for marker in _MARKERS):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder
