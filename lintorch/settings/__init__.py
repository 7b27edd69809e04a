"""What a project has set: read from its closest settings file, outweighed by the command line."""

from lintorch.settings.read_settings import load
from lintorch.settings.selection import enabled, fixable
from lintorch.settings.settings_files import Closest, closest
from lintorch.settings.user_settings import not_loaded, own_file, rules_asked_for
from lintorch.settings.values import Selection, Settings, SettingsError, override

__all__ = [
    "Closest", "Selection", "Settings", "SettingsError", "closest", "enabled", "fixable", "load",
    "not_loaded", "override", "own_file", "rules_asked_for",
]  # fmt: skip
