"""The Python files and READMEs in and below a folder, and a path that stands for which there are."""

from __future__ import annotations

import os
from collections.abc import Iterator

ANY_BELOW = "**"
"""The last part of a path that stands for the names of all these files: it changes as one comes or goes."""
_MOST_FILES = 1500


def walk_code(folder: str) -> Iterator[str]:
    """Their paths: none in hidden folders or of installed packages, and of a large project the first ones."""
    number = 0
    for visited, (path, names, files) in enumerate(os.walk(folder)):
        if visited > _MOST_FILES or number > _MOST_FILES:
            return
        names[:] = [each for each in names if not each.startswith(".") and "-packages" not in each]
        for file in sorted(files):
            number += file.endswith(".py")
            if file.endswith(".py") or is_guide(file):
                yield os.path.join(path, file)


def is_guide(path: str) -> bool:
    """Whether a file is a README in Markdown."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return name.startswith("readme") and name.endswith(".md")
