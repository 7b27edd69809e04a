"""Settings as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from lintorch.core.profile import Profile
from lintorch.files import DEFAULT_EXCLUDE


class SettingsError(Exception):
    """A setting that cannot be meant: names the file (or "command line"), the key and what is wrong."""

    def __init__(self, file: str, message: str) -> None:
        super().__init__(f"{file}: {message}")
        self.file = file
        self.message = message


@dataclass(frozen=True)
class Selection:
    """Selectors of rules: codes, their beginnings, names, themes, or "ALL".

    Without `select` this only changes what was selected before.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    origin: str = "command line"


@dataclass(frozen=True)
class NamedPython:
    """An interpreter as somebody names it: a file, the folder of an environment, or a name on PATH."""

    name: str
    folder: str
    """What its path is relative to."""
    option: str = ""
    """The option that names it; "" for the settings file."""


@dataclass(frozen=True)
class Settings:
    """What a project has set; None where it leaves the choice to what its code shows."""

    root: str = "."
    """The folder of the settings file, which paths and patterns are relative to."""
    file: str | None = None
    selections: tuple[Selection, ...] = ()
    """What the file selects, then what the command line does."""
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fixable: tuple[str, ...] = ("ALL",)
    unfixable: tuple[str, ...] = ()
    exporters: tuple[str, ...] | None = None
    opset: int | None = None
    target_torch: tuple[int, int] | None = None
    target: tuple[str, ...] = ()
    """Names of deployment targets, as `lintorch.targets` has them."""
    dynamic: bool | None = None
    fail_on: str | None = None
    """The least severity that findings make the exit code 1 with; None for "note"."""
    baseline: str | None = None
    """The file of findings that are known."""
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Tables by name, with the keys as written: `factory`, `args`, `inputs`, `decoder`."""
    rules: tuple[str, ...] = ()
    """Folders of rules that the file names, absolute; who runs lintorch decides on loading them."""
    trace_seconds: float | None = None
    trial_seconds: float | None = None
    """Of one trial export; None for twice the seconds of a model."""
    trace_memory: int | None = None
    """Megabytes."""
    trace_disk: int | None = None
    """Megabytes."""
    python: NamedPython | None = None
    """The interpreter whose torch traces and exports."""
    python_for: Mapping[str, NamedPython] = field(default_factory=dict)
    """By exporter, the interpreter that it is tried in where that is another."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """By the name of a field, who set it: a file, or an option; none for what nobody did."""

    @property
    def exclude_patterns(self) -> tuple[str, ...]:
        """All patterns of files to leave out."""
        return self.exclude + self.extend_exclude

    def make_profile(self, found: Profile | None = None) -> Profile:
        """What is deployed with: as set, else as the project's export calls show."""
        base = found or Profile()
        return Profile(
            base.exporters if self.exporters is None else frozenset(self.exporters),
            self.opset,
            base.dynamic if self.dynamic is None else self.dynamic,
            base.torch if self.target_torch is None else self.target_torch,
            frozenset(self.exporters or ()),
            self.target,
            base.opsets,
            base.auto,
            base.strict,
        )


_ADDED = {"extend_exclude", "per_file_ignores", "python_for"}
"""Fields whose values come on top of those there are."""


def override_settings(
    settings: Settings, origin: str = "command line", /, **given: Any
) -> Settings:
    """Settings outweighed by an `origin`, such as the command line; what is None was not given.

    `select`, `ignore` and `extend_select` come as one more selection, `extend_exclude`,
    `per_file_ignores` and `python_for` are added, everything else is replaced.
    """
    given = {name: value for name, value in given.items() if value is not None}
    for name in [n for n, value in given.items() if isinstance(value, list)]:
        given[name] = tuple(given[name])
    chosen = {
        f.name: given.pop(f.name) for f in fields(Selection) if f.name in given and f.name != "root"
    }
    if chosen:
        given["selections"] = (*settings.selections, Selection(**chosen, origin=origin))
    if "extend_exclude" in given:
        given["extend_exclude"] = (*settings.extend_exclude, *given["extend_exclude"])
    for name in {"per_file_ignores", "python_for"} & given.keys():
        given[name] = {**getattr(settings, name), **given[name]}
    origins = {**settings.origins, **dict.fromkeys(given, origin)}
    for name in _ADDED & given.keys() & settings.origins.keys():
        origins[name] = f"{settings.origins[name]}, {origin}"
    return replace(settings, origins=origins, **given)
