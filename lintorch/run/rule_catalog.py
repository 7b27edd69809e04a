"""The catalogue of a run: from the cards that were kept, else from the rules themselves."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import PathFinder

from lintorch import __version__
from lintorch.cache import keep_cards, read_cards
from lintorch.catalog import Catalog, build_catalog, fingerprint_rules, list_rule_folders
from lintorch.core.codes import UNCHECKED_FILE
from lintorch.core.finding import Finding, Place

_catalogs: dict[tuple[str, ...], Catalog] = {}


def load_catalog(folders: tuple[str, ...] = (), kept: bool = False) -> Catalog:
    """The built-in rules, those of plugins, and those of further folders, once per process.

    With `kept` the cache may answer, and no rule is loaded before it is needed. Raises
    CatalogError.
    """
    if folders not in _catalogs:
        _catalogs[folders] = _recall_catalog(folders) if kept else build_catalog(folders)
    return _catalogs[folders]


def engine_finding(rules: Catalog, code: str, message: str, place: Place) -> Finding:
    """A finding of lintorch itself; its rule's page gives name and gravity."""
    card = rules.cards[code]
    return Finding(code, card.name, message, card.severity, place)


def report_given_up(path: str, error: Exception | str, folders: tuple[str, ...]) -> Finding:
    """The finding for a file that lintorch itself could not go through to its end."""
    # here, as a run in which nothing has changed tells of none
    from lintorch.core.dispatch import describe_defect

    cause = error if isinstance(error, str) else describe_defect(error)
    message = f"lintorch failed on this file, which was not checked: {cause}"
    return engine_finding(load_catalog(folders), UNCHECKED_FILE, message, Place(path, 1))


@cache
def describe_releases(folders: tuple[str, ...]) -> str:
    """What findings depend on besides the file and the settings: rules, engine, parser, Python."""
    return f"{__version__} {sys.version} {_describe_parser()} {fingerprint_rules(folders)}"


def _recall_catalog(folders: tuple[str, ...]) -> Catalog:
    every = list_rule_folders(folders)
    if cards := read_cards(describe_releases(every)):
        return Catalog(cards, every)
    loaded = build_catalog(folders)
    keep_cards(describe_releases(every), loaded.cards)
    return loaded


def _describe_parser() -> str:
    """Which libcst is installed, told without importing it."""
    spec = PathFinder.find_spec("libcst")
    if spec is None or spec.origin is None:
        return ""
    version = os.path.join(os.path.dirname(spec.origin), "_version.py")
    found = os.stat(version if os.path.exists(version) else spec.origin)
    return f"{spec.origin} {found.st_size} {found.st_mtime_ns}"
