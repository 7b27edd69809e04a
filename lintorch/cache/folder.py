"""The folder of a cache."""

from __future__ import annotations

import os

from lintorch.files.text import replace

FOLDER = ".lintorch_cache"
_KEPT = 8
"""How many fingerprints are remembered; the oldest go."""
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of lintorch.\n"


def clear(root: str) -> bool:
    """Remove the cache below a folder; whether there was one."""
    folder = os.path.join(root, FOLDER)
    if not os.path.isfile(os.path.join(folder, "CACHEDIR.TAG")):
        return False
    with os.scandir(folder) as listing:
        for entry in list(listing):
            os.unlink(entry.path)
    os.rmdir(folder)
    return True


def prepare(folder: str) -> None:
    """Make the folder, and mark it as a cache that git leaves alone. Raises OSError."""
    os.makedirs(folder, exist_ok=True)
    for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            replace(path, text.encode())


def prune(folder: str) -> None:
    """Remove what was written longest ago. Raises OSError."""
    with os.scandir(folder) as listing:
        kept = [entry for entry in listing if entry.name.startswith("findings-")]
    kept.sort(key=lambda entry: (entry.stat().st_mtime_ns, entry.name), reverse=True)
    for entry in kept[_KEPT:]:
        os.unlink(entry.path)
