"""Which files of a project speak of a name: those below its folder, told alike on both sides of the wall. Imports no torch."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lintorch.record.digests import digest_bytes, digest_values

_MOST_FILES = 3000
"""Files of a project that are read, at most: a folder without a mark may be a whole disk."""
_MOST_FOLDERS = 3000
_MOST_BYTES = 48 << 20
"""Of all files together."""
_BIGGEST = {".py": 1 << 19, ".md": 1 << 19, ".ipynb": 1 << 22, ".sh": 1 << 16, "": 1 << 16}
"""Bytes of a file, by its ending; pictures make notebooks big, and scripts of a shell say how others start."""
CODE_ENDINGS = tuple(_BIGGEST)
"""The endings of files that hold code: modules, notebooks, texts with code in them, scripts of a shell, and scripts that name their interpreter."""
_STARTS_PYTHON = re.compile(rb"#!.*\bpython[\d.]*\b")
_PASSED = frozenset(
    ("node_modules", "site-packages", "dist-packages", "__pycache__", "build", "dist", "venv")
)


def match_names(names: Iterable[str]) -> re.Pattern[bytes] | None:
    """What finds one of the names where it stands as a word; None for no names."""
    words = [re.escape(name).encode() for name in sorted(names)]
    return re.compile(rb"(?<!\w)(?:" + b"|".join(words) + rb")(?!\w)") if words else None


def list_named(
    texts: Iterable[tuple[Path, bytes]], names: Iterable[str]
) -> Iterator[tuple[Path, bytes]]:
    """The files in whose text one of the names stands as a word.

    That a text does not hold the bytes of a name is known ten times as fast as that no word of it is one.
    """
    names = sorted(names)
    found, plain = match_names(names), [name.encode() for name in names]
    for path, data in texts:
        if found and any(name in data for name in plain) and found.search(data):
            yield path, data


def match_calls(name: str) -> re.Pattern[bytes]:
    """What finds calls of a name."""
    return re.compile(rb"(?<!\w)" + re.escape(name).encode() + rb"\(")


def digest_files(files: Iterable[tuple[Path, bytes]]) -> str:
    """What stands for files and all that they hold."""
    return digest_values(sorted((str(path), digest_bytes(data)) for path, data in files))


def read_texts(project: str) -> tuple[tuple[Path, bytes], ...]:
    """The files with code below the folder of a project, those of outer folders first."""
    texts: list[tuple[Path, bytes]] = []
    left = _MOST_BYTES
    for path, size in _walk_files(project):
        if len(texts) == _MOST_FILES or size > left:
            break
        try:
            data = path.read_bytes()
        except OSError:
            continue
        if path.suffix or _STARTS_PYTHON.match(data):
            texts.append((path, data))
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
