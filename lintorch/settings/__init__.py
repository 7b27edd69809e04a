"""What a project has set: read from its closest settings file, outweighed by the command line."""

from lintorch.settings.reading import Closest, closest, load
from lintorch.settings.selection import enabled, fixable
from lintorch.settings.values import Selection, Settings, SettingsError, override

__all__ = [
    "Closest", "Selection", "Settings", "SettingsError", "closest", "enabled", "fixable", "load",
    "override",
]  # fmt: skip
