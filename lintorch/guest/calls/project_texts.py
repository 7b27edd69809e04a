"""Which files of a project speak of a name: those below its folder, read once and kept."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from lintorch.guest.process.files_read import read_log
from lintorch.record import project_texts


def list_files_that_name(project: Path, names: Collection[str]) -> list[tuple[Path, bytes]]:
    """The files of a project in whose text one of the names stands as a word."""
    found = project_texts.match_names(names)
    if found is None:
        return []
    with read_log.paused():
        texts = _read_texts(str(project))
    named = [(path, data) for path, data in texts if found.search(data)]
    read_log.note_search(names, project_texts.digest_files(named))
    return named


@lru_cache(maxsize=2)
def _read_texts(project: str) -> tuple[tuple[Path, bytes], ...]:
    return project_texts.read_texts(project)
