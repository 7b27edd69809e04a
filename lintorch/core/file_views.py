"""What other files hold: as an editor shows them where that is not saved, else as they lie on disk.

What facts keep of a file is kept by its path and `stamp_file`. The first run of a process takes
files to stay as they are, and stamps are all 0; a later run looks anew, and a language server says
by `look_anew` when they may have changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

Stamp = tuple[int, ...]
_LASTING: Stamp = (0,)


@dataclass
class _View:
    """What this process sees. `looks` counts how often it was told to look anew."""

    runs: int = 0
    looks: int = 0
    unsaved: Mapping[str, str] = field(default_factory=dict)
    stamps: dict[str, Stamp] = field(default_factory=dict)


_view = _View()


def look_anew(unsaved: Mapping[str, str]) -> None:
    """Take these texts, by absolute path, for what the files hold; all others may have changed."""
    _view.looks += 1
    _view.unsaved = unsaved
    _view.stamps = {}


@contextmanager
def show_text(path: str, text: str) -> Iterator[None]:
    """Take a text for what a file holds, within the block; what stands round it has to forget its answers."""
    before = _view.unsaved
    look_anew({**before, os.path.abspath(path): text})
    try:
        yield
    finally:
        look_anew(before)


def begin_run() -> None:
    """A run begins: what files held in an earlier one of this process they may hold no longer."""
    if _view.runs:
        look_anew({})
    _view.runs += 1


def count_looks() -> int:
    """How often files were looked at anew; 0 where they are taken to stay as they are."""
    return _view.looks


def stamp_file(path: str) -> Stamp:
    """Another value whenever the file holds something else."""
    if not _view.looks:
        return _LASTING
    if path not in _view.stamps:
        _view.stamps[path] = _make_stamp(path)
    return _view.stamps[path]


def read_bytes(path: str) -> bytes:
    """What a file holds, unsaved text as UTF-8. Raises OSError."""
    text = _view.unsaved.get(os.path.abspath(path)) if _view.unsaved else None
    if text is not None:
        return text.encode("utf-8", errors="replace")
    with open(path, "rb") as file:
        return file.read()


def _make_stamp(path: str) -> Stamp:
    text = _view.unsaved.get(os.path.abspath(path))
    if text is not None:
        return (1, hash(text), len(text))
    try:
        found = os.stat(path)
    except OSError:
        return (2,)
    return (3, found.st_mtime_ns, found.st_size)
