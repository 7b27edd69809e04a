"""What is set by who runs lintorch: that alone decides which code runs, not what is checked."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from lintorch.files.user_folders import user_folder
from lintorch.settings.read_settings import load_settings
from lintorch.settings.setting_values import Settings

VARIABLE = "LINTORCH_RULES"
"""The environment variable that holds folders of rules, separated as in PATH."""


def own_file() -> str:
    """The user's own settings file, which need not be there; "" where there is no home."""
    folder = user_folder("XDG_CONFIG_HOME", "~/.config", "APPDATA")
    return os.path.join(folder, "lintorch.toml") if folder else ""


def own_settings() -> Settings:
    """The user's own settings, which hold where no project has any. Raises SettingsError.

    Paths and patterns in them are relative to the working directory, folders of rules to the file.
    """
    file = own_file()
    found = load_settings(file) if os.path.isfile(file) else Settings()
    return replace(found, root=os.getcwd())


def rules_asked_for(options: Iterable[str]) -> tuple[str, ...]:
    """The folders of rules that options, environment and user's settings name, absolute.

    Raises SettingsError.
    """
    listed = [each for each in os.environ.get(VARIABLE, "").split(os.pathsep) if each]
    named = (*map(os.path.abspath, (*options, *listed)), *own_settings().rules)
    return tuple({os.path.realpath(folder): folder for folder in reversed(named)}.values())[::-1]


def not_loaded(settings: Settings, loaded: Iterable[str]) -> tuple[str, ...]:
    """The folders of rules that settings name and that are not among those loaded."""
    there = {os.path.realpath(folder) for folder in loaded} if settings.rules else set()
    return tuple(folder for folder in settings.rules if os.path.realpath(folder) not in there)
