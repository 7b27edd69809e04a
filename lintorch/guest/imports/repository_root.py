"""The root of a repository that nothing but its text files marks."""

from __future__ import annotations

import itertools
from pathlib import Path

_OF_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
_OF_ROOTS = ("requirements*.txt", "environment.y*ml", "LICENSE*")
_MOST_LEVELS = 5
"""Folders above one that are looked at, at most."""


def find_repository_root(project: Path) -> Path:
    """The nearest folder, at or above a project's, with files that stand at a root; the same where there is none."""
    around = [project, *project.parents][:_MOST_LEVELS]
    outside = {Path.home(), Path(project.anchor)}
    inside = list(itertools.takewhile(lambda folder: folder not in outside, around))
    for patterns in ((*_OF_PROJECTS, *_OF_ROOTS), ("README*",)):
        for folder in inside:
            if any(next(folder.glob(pattern), None) for pattern in patterns):
                return folder
    return project
