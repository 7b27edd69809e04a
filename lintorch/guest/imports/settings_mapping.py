"""Settings as attributes and as items, as easydict, addict, munch, yacs and ml_collections keep them.

Where such a package is not there, nothing is lost with it: its class is a dictionary.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any


class SettingsMapping(dict[str, Any]):
    """Mappings inside it are such settings too. A name that is not there raises AttributeError."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__()
        first = given[0] if given and isinstance(given[0], (Mapping, list, tuple)) else {}
        self.update(first, **named)

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(name)

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, _hold(value))

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        self.pop(name, None)

    def update(self, *given: Any, **named: Any) -> None:
        """As of a dictionary."""
        for name, value in dict(*given, **named).items():
            self[name] = value

    def setdefault(self, name: str, default: Any = None) -> Any:
        """As of a dictionary."""
        if name not in self:
            self[name] = default
        return self[name]

    def clone(self) -> SettingsMapping:
        """A copy, as yacs makes one."""
        return copy.deepcopy(self)

    copy_and_resolve_references = clone

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries."""
        return {
            name: value.to_dict() if isinstance(value, SettingsMapping) else value
            for name, value in self.items()
        }

    def freeze(self, *_: Any, **__: Any) -> SettingsMapping:
        """Nothing: settings may be changed all the same."""
        return self

    defrost = lock = unlock = set_new_allowed = freeze

    def is_frozen(self) -> bool:
        """False."""
        return False

    @contextmanager
    def unlocked(self) -> Iterator[SettingsMapping]:
        """The same, to be changed."""
        yield self

    def merge_from_file(self, path: Any) -> None:
        """Take what a file of YAML gives, as yacs does. Raises OSError."""
        text = Path(path).read_bytes()
        yaml = import_module("yaml")
        loaded = yaml.load(text, Loader=yaml.SafeLoader)
        self.merge_from_other_cfg(loaded if isinstance(loaded, dict) else {})

    def merge_from_other_cfg(self, other: Mapping[str, Any]) -> None:
        """Take what another mapping gives, at all depths."""
        for name, value in other.items():
            held = self.get(name)
            if isinstance(held, SettingsMapping) and isinstance(value, Mapping):
                held.merge_from_other_cfg(value)
            else:
                self[name] = value

    def merge_from_list(self, given: Iterable[Any]) -> None:
        """Take `["MODEL.WIDTH", "32"]`, as yacs does."""
        listed = [*given]
        for path, value in zip(listed[::2], listed[1::2], strict=False):
            *folders, last = str(path).split(".")
            held = self
            for folder in folders:
                held = held.setdefault(folder, {})
            with suppress(ValueError, SyntaxError):
                value = ast.literal_eval(value)
            held[last] = value


class GrowingMapping(SettingsMapping):
    """Such settings, of which what is not there is further ones, as of addict."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __missing__(self, name: str) -> Any:
        self[name] = GrowingMapping()
        return self[name]


CLASSES: Mapping[str, type[SettingsMapping]] = {"plain": SettingsMapping, "growing": GrowingMapping}
"""By the kinds that missing_packages.json gives."""


def _hold(value: Any) -> Any:
    """Mappings as settings, also those of a list."""
    if isinstance(value, dict) and not isinstance(value, SettingsMapping):
        return SettingsMapping(value)
    if type(value) in (list, tuple):
        return type(value)(map(_hold, value))
    return value
