"""The folders from which a file's imports may be meant, whatever the working directory is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache

from lintorch.core.kept_answers import keep_for_run

MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
"""What marks the folder of a project."""
_MOST_ABOVE = 6
"""Folders above a file's package that are looked into where none of them is marked."""


@keep_for_run
def list_import_roots(package_root: str, own: str) -> tuple[str, ...]:
    """The folder that holds a file's package, its own, the working directory, and those above it in its project.

    Scripts of a project import from its top whether or not the folders between hold `__init__.py`.
    """
    return tuple(dict.fromkeys([package_root, own, os.getcwd(), *_list_above(package_root)]))


def list_module_places(dotted: str, roots: Sequence[str], sure: int = 2) -> Iterator[str]:
    """Where the file of a module may be, in order.

    The first `sure` roots are looked into in any case, others where they hold its top package.
    """
    parts = dotted.split(".")
    for number, root in enumerate(roots):
        if number < sure or _holds_module(root, parts[0]):
            stem = os.path.join(root, *parts)
            yield f"{stem}.py"
            yield os.path.join(stem, "__init__.py")


def _holds_module(root: str, top: str) -> bool:
    """Whether a folder holds a package or module of this name, now."""
    try:
        changed = os.stat(root).st_mtime_ns
    except OSError:
        return False
    names = _list_names(root, changed)
    return top in names or f"{top}.py" in names


@lru_cache(maxsize=256)
def _list_names(root: str, changed: int) -> frozenset[str]:
    """What stands in a folder that was last changed then."""
    try:
        return frozenset(os.listdir(root))
    except OSError:
        return frozenset()


def is_marked(folder: str) -> bool:
    """Whether a folder is that of a project."""
    return any(os.path.exists(os.path.join(folder, marker)) for marker in MARKERS)


def _list_above(folder: str) -> Iterator[str]:
    home = os.path.expanduser("~")
    for _ in range(_MOST_ABOVE):
        if is_marked(folder):
            return
        folder, below = os.path.dirname(folder), folder
        if folder in (below, home):
            return
        yield folder
