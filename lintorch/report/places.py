"""Places as reports write them: paths from the working directory, rows and columns from 1."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from lintorch.core.finding import Place


def shown_path(path: str) -> str:
    """The path with forward slashes, relative to the working directory where it is below it."""
    absolute, here = Path(os.path.abspath(path)), Path.cwd()
    below = absolute.is_relative_to(here)
    return (absolute.relative_to(here) if below else absolute).as_posix()


def repository_path(path: str) -> str:
    """The path from the root of its repository, with forward slashes, whatever the working directory.

    Where no repository is around it, as `shown_path` writes it.
    """
    absolute = os.path.abspath(path)
    root = _find_root(os.path.dirname(absolute))
    return Path(absolute).relative_to(root).as_posix() if root else shown_path(path)


@lru_cache(maxsize=1024)
def _find_root(folder: str) -> str:
    """The closest folder around that git knows; "" for none."""
    if os.path.exists(os.path.join(folder, ".git")):
        return folder
    parent = os.path.dirname(folder)
    return "" if parent == folder else _find_root(parent)


def shown_model(model: str) -> str:
    """A model's `path:Class` with its path as `shown_path` writes it."""
    path, colon, qualname = model.rpartition(":")
    return f"{shown_path(path)}:{qualname}" if colon else model


def write_location(place: Place) -> str:
    """`path:row:column`, or `path:cell 3:row:column`."""
    row, column = find_start(place)
    cell = f":cell {place.cell}" if place.cell else ""
    return f"{shown_path(place.path)}{cell}:{row}:{column}"


def find_start(place: Place) -> tuple[int, int]:
    """Row and column where the place begins."""
    return max(place.row, 1), max(place.column, 1)


def find_end(place: Place) -> tuple[int, int]:
    """Row and column behind the place; its start where no end is known."""
    return max(find_start(place), (place.end_row, max(place.end_column, 1)))
