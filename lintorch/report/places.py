"""Places as reports write them: paths from the working directory, rows and columns from 1."""

from __future__ import annotations

import os
from pathlib import Path

from lintorch.core.finding import Place


def shown_path(path: str) -> str:
    """The path with forward slashes, relative to the working directory where it is below it."""
    absolute, here = Path(os.path.abspath(path)), Path.cwd()
    below = absolute.is_relative_to(here)
    return (absolute.relative_to(here) if below else absolute).as_posix()


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
