"""The order in which files are examined: those that use others come before what they use."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path


def order_files(paths: Iterable[str], modules: Mapping[str, str]) -> list[str]:
    """Files that few other files import first, so that models are seen before their parts.

    Files of one name are told apart by nobody who imports that name: what counts is done once for
    each name, so that a thousand files `model.py` take no longer than others.

    `modules` holds the texts of those that are notebooks.
    """
    known = list(paths)
    stems = {path: _module_name(path) for path in known}
    every = {*stems.values()}
    uses = {path: frozenset(_imported_names(path, modules.get(path)) & every) for path in known}
    of_stem: dict[str, set[str]] = {stem: set() for stem in every}
    for path in known:
        of_stem[stems[path]] |= uses[path]
    used_by = dict.fromkeys(every, 0)
    reached: dict[frozenset[str], set[str]] = {}
    for names, count in Counter(uses.values()).items():
        reached[names] = _reach_stems(names, of_stem)
        for stem in reached[names]:
            used_by[stem] += count
    own = {path: stems[path] in reached[uses[path]] for path in known}
    return sorted(known, key=lambda path: used_by[stems[path]] - own[path])


def _module_name(path: str) -> str:
    file = Path(path)
    return file.parent.name if file.stem == "__init__" else file.stem


def _imported_names(path: str, text: str | None) -> set[str]:
    """Every name that the import statements of a file mention; nothing where it cannot be read."""
    try:
        tree = ast.parse(Path(path).read_bytes() if text is None else text)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(part for alias in node.names for part in alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            found.update((node.module or "").split("."))
            found.update(alias.name for alias in node.names)
    return found


def _reach_stems(names: frozenset[str], of_stem: Mapping[str, set[str]]) -> set[str]:
    """The names of modules that are imported by files of these names, and by what they import."""
    found = {*names}
    waiting = [*names]
    while waiting:
        new = of_stem[waiting.pop()] - found
        found |= new
        waiting += new
    return found
