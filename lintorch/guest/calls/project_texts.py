"""Which files of a project speak of a name: those below its folder, read once and kept."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from lintorch.guest.process.files_read import read_log
from lintorch.record import project_texts


def list_files_that_name(project: Path, names: Collection[str]) -> list[tuple[Path, bytes]]:
    """The files of a project in whose text one of the names stands as a word."""
    if not names:
        return []
    asked = (str(project), frozenset(names))
    if read_log.is_kept:
        read_log.note_search(names, _digest_search(*asked))
    return list(_search(*asked))


def list_files_that_call(project: Path, name: str) -> list[tuple[Path, bytes]]:
    """The modules of a project in whose text a name stands before a bracket, or gets another name."""
    spelled = re.escape(name).encode()
    call = re.compile(
        rb"(?<!\w)" + spelled + rb"(?:\s*\(|\s+as\s)|=\s*(?:\w+\.)*" + spelled + rb"\s*(?:#|$)",
        re.MULTILINE,
    )
    named = list_files_that_name(project, {name})
    return [(path, data) for path, data in named if path.suffix == ".py" and call.search(data)]


def keep_texts(project: Path) -> None:
    """Read the files of a project now: processes that are forked from here have them."""
    with read_log.paused():
        _read_texts(str(project))


@lru_cache(maxsize=512)
def _search(project: str, names: frozenset[str]) -> tuple[tuple[Path, bytes], ...]:
    with read_log.paused():
        texts = _read_texts(project)
    return tuple(project_texts.list_named(texts, names))


@lru_cache(maxsize=512)
def _digest_search(project: str, names: frozenset[str]) -> str:
    """What stands for the files found, and all that they hold."""
    return project_texts.digest_files(_search(project, names))


@lru_cache(maxsize=2)
def _read_texts(project: str) -> tuple[tuple[Path, bytes], ...]:
    return project_texts.read_texts(project)
