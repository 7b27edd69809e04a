"""Finding settings files: `.lintorch.toml`, `lintorch.toml`, `[tool.lintorch]`, the user's own."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from lintorch.settings.read_settings import load_settings_if_any
from lintorch.settings.setting_values import Settings
from lintorch.settings.user_settings import own_settings

FILES = (".lintorch.toml", "lintorch.toml", "pyproject.toml")


def find_settings(path: str) -> Settings:
    """The settings that hold for a file or folder. Raises SettingsError."""
    return SettingsFinder().settings_of(path)


@dataclass
class SettingsFinder:
    """Looks settings up, each folder once."""

    _known: dict[str, Settings] = field(default_factory=dict)

    def settings_of(self, path: str) -> Settings:
        """The settings of the closest folder around a path that has any. Raises SettingsError."""
        start = os.path.abspath(path)
        return self._settings_in(start if os.path.isdir(start) else os.path.dirname(start))

    def _settings_in(self, folder: str) -> Settings:
        if folder not in self._known:
            parent = os.path.dirname(folder)
            own = _load_from(folder)
            if own is None and parent == folder:
                own = own_settings()
            self._known[folder] = own or self._settings_in(parent)
        return self._known[folder]


def _load_from(folder: str) -> Settings | None:
    for name in FILES:
        file = os.path.join(folder, name)
        if os.path.isfile(file) and (found := load_settings_if_any(file)):
            return found
    return None
