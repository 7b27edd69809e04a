"""The folders from which a file's imports may be meant, whatever the working directory is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
"""What marks the folder of a project."""
_MOST_ABOVE = 6
"""Folders above a file's package that are looked into where none of them is marked."""


@cache
def list_import_roots(package_root: str, own: str) -> tuple[str, ...]:
    """The folder that holds a file's package, its own, the working directory, and those above it in its project.

    Scripts of a project import from its top whether or not the folders between hold `__init__.py`.
    """
    return tuple(dict.fromkeys([package_root, own, os.getcwd(), *_list_above(package_root)]))


@cache
def has_module(root: str, top: str) -> bool:
    """Whether a folder holds a package or module of this name."""
    path = os.path.join(root, top)
    return os.path.isdir(path) or os.path.isfile(f"{path}.py")


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
