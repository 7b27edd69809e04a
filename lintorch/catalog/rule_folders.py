"""The folders that hold rules: built in, announced by plugins, or of who runs lintorch."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress

ENTRY_POINTS = "lintorch.rules"
"""Entry-point group in which a plugin names a package whose folder holds rules."""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class CatalogError(Exception):
    """A rule file could not be loaded, or two rules claim one code or name."""


def list_rule_folders(further: Iterable[str] = ()) -> tuple[str, ...]:
    """The folders of the built-in rules, of installed plugins, and further ones.

    Raises CatalogError naming a folder that is not there.
    """
    every = (find_own_rules(), *_plugin_folders(), *further)
    for folder in every:
        if not os.path.isdir(folder):
            raise CatalogError(f"{folder}: no such folder of rules")
    return every


def find_own_rules() -> str:
    """The folder of lintorch's own rules: inside the package once installed, else beside it."""
    inside = os.path.join(_PACKAGE, "rules")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_PACKAGE), "rules")


def fingerprint_rules(folders: Iterable[str]) -> str:
    """Changes whenever a rule file, a table beside one, or a file of the engine does."""
    digest = hashlib.blake2b()
    for folder in (*folders, _PACKAGE):
        for path in walk_files(folder, (".py", ".json")):
            stat = os.stat(path)
            digest.update(f"{path}:{stat.st_size}:{stat.st_mtime_ns};".encode())
    return digest.hexdigest()


def list_rule_files(folder: str) -> list[str]:
    """The Python files of a folder, and of those in it, that define a rule each."""
    return [path for path in walk_files(folder, (".py",)) if os.path.basename(path)[0] != "_"]


def walk_files(folder: str, endings: tuple[str, ...]) -> list[str]:
    """The files of a folder and of those in it, without what is private or hidden."""
    found: list[str] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(("_", ".")))
        found += [os.path.join(parent, name) for name in sorted(names) if name.endswith(endings)]
    return found


def _plugin_folders() -> list[str]:
    if not any(_may_announce(entry) for entry in sys.path):
        return []
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found: list[str] = []
    for entry in entry_points(group=ENTRY_POINTS):
        spec = find_spec(entry.value)
        found += list(spec.submodule_search_locations or []) if spec else []
    return found


def _may_announce(entry: str) -> bool:
    """Whether an entry of sys.path may hold a plugin; to ask `importlib.metadata` takes 20 ms."""
    if os.path.isfile(entry):  # an archive
        return True
    return any(ENTRY_POINTS in _read_text(file) for file in _announcement_files(entry or "."))


def _announcement_files(folder: str) -> Iterator[str]:
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.lower().endswith((".dist-info", ".egg-info", "egg-info")):
                yield os.path.join(folder, name, "entry_points.txt")


def _read_text(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return ""
