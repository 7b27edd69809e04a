"""What a project has set: read from its closest settings file, outweighed by the command line."""

from lintorch.settings.read_settings import load_settings, read_inline
from lintorch.settings.selection import enabled_codes, fixable_codes, is_selected
from lintorch.settings.setting_values import (
    NamedPython,
    Selection,
    Settings,
    SettingsError,
    override_settings,
)
from lintorch.settings.settings_files import SettingsFinder, find_settings
from lintorch.settings.user_settings import not_loaded, own_file, rules_asked_for

__all__ = [
    "NamedPython",
    "Selection",
    "Settings",
    "SettingsError",
    "SettingsFinder",
    "enabled_codes",
    "find_settings",
    "fixable_codes",
    "is_selected",
    "load_settings",
    "not_loaded",
    "override_settings",
    "own_file",
    "read_inline",
    "rules_asked_for",
]  # fmt: skip
