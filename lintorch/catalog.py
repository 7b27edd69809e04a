"""Loading rules from folders, by path: built in, announced by plugins, or a project's own."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import entry_points

from lintorch.rule import Rule

ENTRY_POINTS = "lintorch.rules"
"""Entry-point group in which a plugin names a package whose folder holds rules."""


class CatalogError(Exception):
    """A rule file could not be loaded, or two rules claim one code or name."""


@dataclass(frozen=True)
class Catalog:
    """All rules of a run, by code."""

    rules: Mapping[str, Rule]
    folders: tuple[str, ...]

    @cached_property
    def names(self) -> dict[str, str]:
        """From code to name."""
        return {code: rule.name for code, rule in self.rules.items()}

    def find(self, code_or_name: str) -> Rule | None:
        """The rule with this code or name, however it is cased."""
        wanted = code_or_name.lower()
        matches = (r for r in self.rules.values() if wanted in (r.code.lower(), r.name))
        return next(matches, None)

    @cached_property
    def fingerprint(self) -> str:
        """Changes whenever a rule file, a table beside one, or a file of the engine does."""
        digest = hashlib.blake2b()
        for folder in (*self.folders, os.path.dirname(__file__)):
            for path in (*_python_files(folder), *_tables(folder)):
                stat = os.stat(path)
                digest.update(f"{path}:{stat.st_size}:{stat.st_mtime_ns};".encode())
        return digest.hexdigest()


def load(folders: Iterable[str] = ()) -> Catalog:
    """The built-in rules, those of installed plugins, and those of further folders.

    Raises CatalogError naming the file where a rule cannot be loaded.
    """
    places = (built_in(), *_plugins(), *folders)
    rules: dict[str, Rule] = {}
    names: dict[str, str] = {}
    for folder in places:
        if not os.path.isdir(folder):
            raise CatalogError(f"{folder}: no such folder of rules")
        for path in _python_files(folder):
            rule = _load(path, folder)
            other = rules.get(rule.code) or rules.get(names.get(rule.name, ""))
            if other is not None:
                raise CatalogError(
                    f"{path}: {rule.code} {rule.name} is already {other.code} {other.name}"
                )
            rules[rule.code] = rule
            names[rule.name] = rule.code
    return Catalog(dict(sorted(rules.items())), places)


def built_in() -> str:
    """The folder of lintorch's own rules: inside the package once installed, else beside it."""
    package = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(package, "rules")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), "rules")


def _plugins() -> list[str]:
    folders: list[str] = []
    for entry in entry_points(group=ENTRY_POINTS):
        spec = importlib.util.find_spec(entry.value)
        folders += list(spec.submodule_search_locations or []) if spec else []
    return folders


def _python_files(folder: str) -> list[str]:
    return [path for path in _files(folder, ".py") if os.path.basename(path)[0] != "_"]


def _tables(folder: str) -> list[str]:
    return _files(folder, ".json")


def _files(folder: str, ending: str) -> list[str]:
    found: list[str] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(("_", ".")))
        found += [os.path.join(parent, f) for f in sorted(files) if f.endswith(ending)]
    return found


def _load(path: str, folder: str) -> Rule:
    inner = os.path.relpath(path, folder).removesuffix(".py").replace(os.sep, ".")
    label = hashlib.blake2b(os.path.abspath(folder).encode(), digest_size=4).hexdigest()
    name = f"lintorch_rules_{label}.{inner}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CatalogError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise CatalogError(f"{path}: {type(error).__name__}: {error}") from error
    rule = getattr(module, "rule", None)
    if not isinstance(rule, Rule):
        raise CatalogError(f"{path}: defines no `rule = Rule(__name__, ...)`")
    return rule
