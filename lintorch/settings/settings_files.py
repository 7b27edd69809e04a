"""Finding settings files: `.lintorch.toml`, `lintorch.toml`, `[tool.lintorch]`, the user's own."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from lintorch.settings.read_settings import load_part
from lintorch.settings.user_settings import own_settings
from lintorch.settings.values import Settings

FILES = (".lintorch.toml", "lintorch.toml", "pyproject.toml")


def closest(path: str) -> Settings:
    """The settings that hold for a file or folder. Raises SettingsError."""
    return Closest().of(path)


@dataclass
class Closest:
    """Looks settings up, each folder once."""

    _known: dict[str, Settings] = field(default_factory=dict)

    def of(self, path: str) -> Settings:
        """The settings of the closest folder around a path that has any. Raises SettingsError."""
        start = os.path.abspath(path)
        return self._of(start if os.path.isdir(start) else os.path.dirname(start))

    def _of(self, folder: str) -> Settings:
        if folder not in self._known:
            parent = os.path.dirname(folder)
            own = _in(folder)
            if own is None and parent == folder:
                own = own_settings()
            self._known[folder] = own or self._of(parent)
        return self._known[folder]


def _in(folder: str) -> Settings | None:
    for name in FILES:
        file = os.path.join(folder, name)
        if os.path.isfile(file) and (found := load_part(file)):
            return found
    return None
