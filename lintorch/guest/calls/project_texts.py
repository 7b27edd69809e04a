"""Which files of a project speak of a name: those below its folder, read once and kept."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from lintorch.guest.calls.code_text import CODE_ENDINGS

_MOST_FILES = 3000
"""Files of a project that are read, at most: a folder without a mark may be a whole disk."""
_MOST_FOLDERS = 3000
_MOST_BYTES = 48 << 20
"""Of all files together."""
_BIGGEST = {".py": 1 << 19, ".md": 1 << 19, ".ipynb": 1 << 22}
"""Bytes of a file, by its ending; pictures make notebooks big."""
_PASSED = frozenset(
    ("node_modules", "site-packages", "dist-packages", "__pycache__", "build", "dist", "venv")
)


def list_files_that_name(project: Path, names: Iterable[str]) -> list[tuple[Path, bytes]]:
    """The files of a project in whose text one of the names stands as a word."""
    words = [re.escape(name).encode() for name in names]
    if not words:
        return []
    found = re.compile(rb"(?<!\w)(?:" + b"|".join(words) + rb")(?!\w)")
    return [(path, data) for path, data in _read_texts(str(project)) if found.search(data)]


@lru_cache(maxsize=2)
def _read_texts(project: str) -> tuple[tuple[Path, bytes], ...]:
    texts: list[tuple[Path, bytes]] = []
    left = _MOST_BYTES
    for path, size in _walk_files(project):
        if len(texts) == _MOST_FILES or size > left:
            break
        try:
            texts.append((path, path.read_bytes()))
        except OSError:
            continue
        left -= size
    return tuple(texts)


def _walk_files(project: str) -> Iterator[tuple[Path, int]]:
    """Files with code, those of outer folders first, with their sizes."""
    waiting, looked = [project], 0
    while waiting and looked < _MOST_FOLDERS:
        folder = waiting.pop(0)
        looked += 1
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            if any(entry.name == "pyvenv.cfg" for entry in entries):
                continue
            for entry in entries:
                if entry.name.startswith(".") or entry.name in _PASSED or entry.is_symlink():
                    continue
                if entry.is_dir():
                    waiting.append(entry.path)
                    continue
                ending = os.path.splitext(entry.name)[1]
                size = entry.stat().st_size if ending in CODE_ENDINGS else 0
                if 0 < size <= _BIGGEST.get(ending, 0):
                    yield Path(entry.path), size
        except OSError:
            continue
