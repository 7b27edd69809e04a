"""Where a repository begins, also without a version control's folder: told alike on both sides of the wall."""

from __future__ import annotations

import os
from itertools import takewhile
from pathlib import Path

_MARKS = (
    ".git",
    "license",
    "readme",
    "setup.py",
    "setup.cfg",
    "pyproject.toml",
    "requirements",
    "environment.y",
)
"""What the names of files begin with, in small letters, that stand at the root of a repository."""
_FOREIGN = ("site-packages", "dist-packages")
_MOST_LEVELS = 6
"""Folders above one that are looked at for its repository."""


def find_repository(folder: Path) -> Path:
    """The outermost folder around one that looks like the root of a repository.

    Where none does, the working directory if the folder lies in there, else the folder itself.
    """
    folder = folder.resolve()
    around = [*takewhile(_is_of_one, (folder, *folder.parents[:_MOST_LEVELS]))]
    if marked := [each for each in around if _has_mark(each)]:
        return marked[-1]
    here = Path.cwd().resolve()
    return here if here in around else folder


def _is_of_one(folder: Path) -> bool:
    """Whether a folder may be of one project: neither a home, nor what packages are installed in."""
    home = Path(os.path.expanduser("~")).resolve()
    return folder.parent != folder and folder != home and folder.name not in _FOREIGN


def _has_mark(folder: Path) -> bool:
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    return any(name.lower().startswith(_MARKS) for name in names)
