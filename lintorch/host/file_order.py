"""The order in which files are examined: those that use others come before what they use."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path


def order_files(paths: Iterable[str], modules: Mapping[str, str]) -> list[str]:
    """Files that few other files import first, so that models are seen before their parts.

    `modules` holds the texts of those that are notebooks.
    """
    known = list(paths)
    stems: dict[str, list[str]] = {}
    for path in known:
        stems.setdefault(_module_name(path), []).append(path)
    uses = {
        path: {
            other
            for name in _imported_names(path, modules.get(path))
            for other in stems.get(name, ())
            if other != path
        }
        for path in known
    }
    used_by = dict.fromkeys(known, 0)
    for path in known:
        for other in _reachable_files(path, uses) - {path}:
            used_by[other] += 1
    return sorted(known, key=lambda path: used_by[path])


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


def _reachable_files(path: str, uses: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [path]
    while waiting:
        for other in uses[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found
