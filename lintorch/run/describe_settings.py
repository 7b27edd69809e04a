"""What holds for the files of a check, and who says so: the value behind `--show-settings`."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lintorch.core.profile import DEFAULT_EXPORTERS, EXPORTERS, Profile
from lintorch.report.places import shown_path
from lintorch.run.given_files import list_files
from lintorch.run.project_models import limit_models
from lintorch.run.request import CheckRequest
from lintorch.run.scope import Scope
from lintorch.settings import NamedPython, Settings
from lintorch.settings.describe_keys import KEYS

DEFAULT, CALLS = "default", "export calls of the project"
_MEBIBYTE = 2**20
_SELECTING = ("select", "ignore", "extend-select")


@dataclass(frozen=True)
class Held:
    """One key, what it holds, and who says so; None where nobody does, and there is no default."""

    key: str
    value: Any
    origin: str


@dataclass(frozen=True)
class SettingsHeld:
    """What holds for some files. `rules` are the codes that are on for the first of them."""

    files: tuple[str, ...]
    held: tuple[Held, ...]
    rules: tuple[str, ...]


def describe_settings(request: CheckRequest) -> tuple[list[SettingsHeld], tuple[str, ...]]:
    """What holds for the files of a check, for its paths where these hold none; what is no file.

    Raises SettingsError or CatalogError.
    """
    scope = Scope(request)
    groups: dict[tuple[int, int], list[str]] = defaultdict(list)
    found = list_files(request, scope)
    for path in found.paths or (() if found.errors else request.paths):
        groups[id(scope.settings_of(path)), id(scope.profile_of(path))].append(path)
    shown = [_describe_files(tuple(files), scope) for files in groups.values()]
    return shown, (*found.notes, *found.errors)


def _describe_files(files: tuple[str, ...], scope: Scope) -> SettingsHeld:
    first = files[0]
    settings, profile = scope.settings_of(first), scope.profile_of(first)
    held = (*_list_selections(settings), *_list_values(settings, profile))
    return SettingsHeld(files, held, tuple(sorted(scope.codes_of(first))))


def _list_selections(settings: Settings) -> Iterator[Held]:
    """What each selection says, the outweighing ones last."""
    told = [
        Held(key, value, _name_origin(chosen.origin))
        for chosen in settings.selections
        for key in _SELECTING
        if (value := getattr(chosen, key.replace("-", "_")))
    ]
    yield from told
    missing = [key for key in _SELECTING if key not in {each.key for each in told}]
    yield from (Held(key, None, DEFAULT) for key in missing)


def _list_values(settings: Settings, profile: Profile) -> Iterator[Held]:
    derived = _derive_values(settings, profile)
    for key in KEYS:
        name = key.replace("-", "_")
        if key in _SELECTING or not hasattr(settings, name):
            continue
        value, origin = getattr(settings, name), settings.origins.get(name)
        if key == "python" and settings.python_for:
            default = {"default": value} if value else {}
            value = {**settings.python_for, **default}
            origin = ", ".join(filter(None, (settings.origins.get("python_for"), origin)))
        if origin is None and key in derived:
            value, origin = derived[key]
        yield Held(key, _make_plain(key, value), _name_origin(origin or DEFAULT))


def _derive_values(settings: Settings, profile: Profile) -> dict[str, tuple[Any, str]]:
    """By key what holds where settings are silent, and where that comes from."""
    limits, usual = limit_models(settings), Profile()
    exporters = tuple(name for name in EXPORTERS if name in profile.exporters)
    opsets = dict(profile.opsets)
    return {
        "exporters": (exporters, DEFAULT if profile.exporters == DEFAULT_EXPORTERS else CALLS),
        "opset": (opsets or None, CALLS if opsets else DEFAULT),
        "dynamic": (profile.dynamic, DEFAULT if profile.dynamic == usual.dynamic else CALLS),
        "target-torch": (profile.torch, DEFAULT),
        "fail-on": ("note", DEFAULT),
        "trace-seconds": (limits.seconds, DEFAULT),
        "trial-seconds": (limits.trial_seconds, DEFAULT),
        "trace-memory": (limits.memory // _MEBIBYTE, DEFAULT),
        "trace-disk": (limits.disk // _MEBIBYTE, DEFAULT),
    }


def _make_plain(key: str, value: Any) -> Any:
    """As a settings file writes it."""
    if isinstance(value, NamedPython):
        return value.name
    if key == "python" and isinstance(value, dict):
        return {name: named.name for name, named in value.items()} or None
    if key == "target-torch":
        return ".".join(map(str, value))
    return value if value or value is False else None


def _name_origin(origin: str) -> str:
    return ", ".join(shown_path(o) if os.path.isabs(o) else o for o in origin.split(", "))
