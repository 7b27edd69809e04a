"""What holds for each file of a run: its settings, its rules and what its project deploys with."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property

from lintorch.cache import Cache
from lintorch.catalog import Catalog
from lintorch.core.finding import Finding
from lintorch.core.import_roots import is_marked
from lintorch.core.profile import Profile
from lintorch.facts.deployment import Release
from lintorch.record.model_options import TAKES_NO_SIZES
from lintorch.run.lint_task import LintTask
from lintorch.run.project_exports import read_deployed
from lintorch.run.request import Request
from lintorch.run.rule_catalog import describe_releases, load_catalog
from lintorch.run.unloaded_rules import note_unloaded
from lintorch.settings import (
    Settings,
    SettingsError,
    SettingsFinder,
    enabled_codes,
    fixable_codes,
    is_selected,
    load_settings,
    not_loaded,
    override_settings,
    read_inline,
    rules_asked_for,
)

_IDLE_THEMES = ("data", "security", "training")
"""Themes of what no exporter sees: loaders, files that are read, steps of an optimizer."""


class Scope:
    """Answers by path; each settings file and each project is read once.

    Raises SettingsError and CatalogError, from the constructor or when first asked.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._closest = SettingsFinder()
        self._fixed, self._inline = _read_config(request)
        self._overridden: dict[int, Settings] = {}
        self._profiles: dict[tuple[int, str], Profile] = {}
        self._projects: dict[str, str] = {}
        self._fixable: dict[int, frozenset[str]] = {}
        self._folders = rules_asked_for(request.rules)
        self.main = self.settings_of(request.paths[0] if request.paths else ".")

    @cached_property
    def catalog(self) -> Catalog:
        """Built-in rules, those of plugins, and those that who runs lintorch asks for."""
        return load_catalog(self._folders, kept=not self._request.no_cache)

    @property
    def unloaded_notes(self) -> tuple[str, ...]:
        """What settings met so far name and was not loaded: one line, or none."""
        return note_unloaded(self._overridden.values(), self._folders)

    def is_partial(self, path: str) -> bool:
        """Whether settings of a file name rules that are not loaded."""
        return bool(not_loaded(self.settings_of(path), self._folders))

    def settings_of(self, path: str) -> Settings:
        """The closest settings, outweighed by the command line."""
        found = self._fixed or self._closest.settings_of(path)
        if id(found) not in self._overridden:
            changed = found
            for origin, given in (*self._inline, ("command line", self._request.settings)):
                changed = override_settings(changed, origin, **given)
            self._overridden[id(found)] = changed
        return self._overridden[id(found)]

    def codes_of(self, path: str) -> frozenset[str]:
        """The codes of the rules that are on for a file."""
        return enabled_codes(self.settings_of(path), self.catalog, path)

    def is_wanted(self, finding: Finding) -> bool:
        """Whether a finding is to be shown: advice only where it was asked for."""
        return is_selected(finding, self.settings_of(finding.place.path), self.catalog)

    def fixable_codes(self, path: str) -> frozenset[str]:
        """The codes of the rules whose fixes may go in."""
        settings = self.settings_of(path)
        if id(settings) not in self._fixable:
            idle = self._list_idle() if self._request.only_exports else frozenset()
            self._fixable[id(settings)] = fixable_codes(settings, self.catalog) - idle
        return self._fixable[id(settings)]

    def _list_idle(self) -> frozenset[str]:
        """The codes of rules whose hazards no exporter meets."""
        cards = self.catalog.cards.values()
        return frozenset(card.code for card in cards if card.theme in _IDLE_THEMES)

    def make_task(self, path: str) -> LintTask:
        """How to lint a file."""
        codes, runs = self.codes_of(path), self._request.runs_models
        return LintTask(path, codes, self.profile_of(path), self._folders, awaits_runs=runs)

    def profile_of(self, path: str) -> Profile:
        """As set, else as the project's export calls show, with the exporters tried in this run.

        Where calls of other exporters fix sizes, that says nothing of TorchScript, which is never told any.
        """
        settings, project = self.settings_of(path), self.project_of(path)
        key = id(settings), project
        if key not in self._profiles:
            told = settings.exporters is not None and settings.dynamic is not None
            torch = settings.target_torch or Profile().torch
            found = None if told else self._read_profile(project, settings, torch)
            profile = settings.make_profile(found)
            tried = frozenset(self._request.models.exporters)
            asked = tried | profile.stated
            unsized = settings.dynamic is None and asked & TAKES_NO_SIZES
            self._profiles[key] = replace(
                profile,
                exporters=profile.exporters | tried,
                stated=asked,
                dynamic=profile.dynamic or bool(unsized),
            )
        return self._profiles[key]

    def project_of(self, path: str) -> str:
        """The folder of the project that a file belongs to; "" where nothing marks one."""
        folder = os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path) or ".")
        if folder not in self._projects:
            self._projects[folder] = _find_project(folder)
        return self._projects[folder]

    def _read_profile(self, project: str, settings: Settings, torch: Release) -> Profile | None:
        terms = f"exports {torch} {describe_releases(self.catalog.folders)}"
        cache = None if self._request.no_cache else Cache.open(project or ".", terms)
        places = [project] if project else self._request.paths
        return read_deployed(places, settings, torch, cache)


def _read_config(
    request: Request,
) -> tuple[Settings | None, list[tuple[str, dict[str, object]]]]:
    """The settings that hold for every file, if any, and what `--config` changes in all."""
    inline = [each for each in request.config if "=" in each and not os.path.isfile(each)]
    files = [each for each in request.config if each not in inline]
    if len(files) > 1 or (files and request.isolated):
        other = "--isolated" if request.isolated else files[1]
        raise SettingsError("--config", f"{files[0]} cannot be combined with {other}")
    isolated = Settings(os.getcwd()) if request.isolated else None
    fixed = load_settings(files[0]) if files else isolated
    return fixed, [(f"--config {each!r}", read_inline(each)) for each in inline]


def _find_project(folder: str) -> str:
    """The closest folder around that holds what marks a project."""
    while not is_marked(folder):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder
