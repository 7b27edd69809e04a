"""Which files a piece of work reads, in this process and in all that it forks: Python itself tells of each."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import sysconfig
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from lintorch.machine import work_folders
from lintorch.record.messages import FilesRead

MOST_FILES = 2000
"""Of one piece of work; what reads more is told of as if nothing were known."""
_NOTES = ".lintorch-files-read"
_SEARCH, _CALLS = "search", "calls"
_WRITING = os.O_WRONLY | os.O_RDWR
_NOWHERE = ("/proc", "/dev", "/sys", "/etc")
_open, _write, _close = os.open, os.write, os.close


class ReadLog:
    """Keeps what is read in a file, as processes that are forked have no other place in common."""

    def __init__(self) -> None:
        self._file = ""
        self._seen: set[str] = set()
        self._own: tuple[str, ...] = ()
        self._deaf = 0

    def begin(self, folder: str, apart: Collection[str]) -> None:
        """Note from now on what is read, but below the folders `apart`, in a file in `folder`."""
        found = {*_foreign_folders(), *apart, folder, work_folders.base_folder(), *_NOWHERE}
        self._own = tuple(os.path.realpath(each).rstrip(os.sep) + os.sep for each in found if each)
        self._file = os.path.join(folder, _NOTES)
        sys.addaudithook(self._hear)

    def tell(self) -> FilesRead | None:
        """All that was noted; None where that is too much, or not to be had any more."""
        with self.paused():
            try:
                with open(self._file, encoding="utf-8") as file:
                    notes = [json.loads(line) for line in file]
            except (OSError, ValueError):
                return None
        paths = {note for note in notes if isinstance(note, str)}
        found = [tuple(note) for note in notes if not isinstance(note, str)]
        if len(paths) + len(found) > MOST_FILES:
            return None
        searches, calls = (
            sorted({n[1:] for n in found if n[0] == kind}) for kind in (_SEARCH, _CALLS)
        )
        return FilesRead(tuple(sorted(paths)), tuple(searches), tuple(calls))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Read without a note."""
        self._deaf += 1
        try:
            yield
        finally:
            self._deaf -= 1

    @property
    def is_kept(self) -> bool:
        """Whether what is read is noted."""
        return bool(self._file)

    def note_search(self, names: Collection[str], found: str) -> None:
        """That the project was searched for names, and what stands for the files with them."""
        if self._file:
            self._note([_SEARCH, *sorted(names), found])

    def note_calls(self, name: str, found: str) -> None:
        """That the files that are checked were searched for calls, and what stands for those with one."""
        if self._file:
            self._note([_CALLS, name, found])

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or self._deaf or not isinstance(arguments[0], (str, bytes)):
            return
        if (arguments[2] or 0) & _WRITING:
            return
        try:
            path = os.path.abspath(os.fsdecode(arguments[0]))
        except OSError:  # the working directory is gone
            return
        if path in self._seen or path.startswith(self._own):
            return
        self._seen.add(path)
        if len(self._seen) <= MOST_FILES + 1:
            self._note(_source_of(path))

    def _note(self, what: Any) -> None:
        line = (json.dumps(what) + "\n").encode()
        with self.paused():
            try:
                file = _open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            except OSError:
                return
            try:
                _write(file, line)
            finally:
                _close(file)


def _source_of(path: str) -> str:
    """The source of a compiled module, else the file itself."""
    if path.endswith(".pyc"):
        try:
            return importlib.util.source_from_cache(path)
        except ValueError:
            return path
    return path


def _foreign_folders() -> set[str]:
    """Where Python and installed packages lie: what these hold is known by their releases."""
    own = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    told = sysconfig.get_paths()
    known = {told[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    known |= {os.path.dirname(told["stdlib"])}  # where it lies as one archive, too
    return {own, *known, *(path for path in sys.path if path.endswith("-packages"))}


read_log = ReadLog()
"""Of this process; it notes nothing until it is told to begin."""
