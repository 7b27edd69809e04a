"""What is done, running and left of the models of files, as one line for each change."""

from __future__ import annotations

import threading
from collections.abc import Callable

_ARROW = " → "
"""Between a model and what is done with it."""


class ProgressLines:
    """Told what begins and ends, from any thread; `tell` gets a line each time.

    Which models a file has is known once it is loaded: what is left is counted in files.
    """

    def __init__(self, tell: Callable[[str], None], files: int) -> None:
        self._tell, self._left = tell, files
        self._running: dict[str, str] = {}
        self._done = 0
        self._lock = threading.Lock()

    def begin_file(self, path: str) -> None:
        """A file is loaded."""
        with self._lock:
            self._left -= 1
            self._running[path] = path
            self._write_line()

    def begin_work(self, path: str, work: str) -> None:
        """Work on a model of a file begins, or another part of it: `net.py:Net → onnx`."""
        with self._lock:
            before = self._running.get(path, path).partition(_ARROW)[0]
            self._done += before not in (path, work.partition(_ARROW)[0])
            self._running[path] = work
            self._write_line()

    def end_work(self, path: str) -> None:
        """All models of a file, or the one by this name in settings, are done."""
        with self._lock:
            self._done += self._running.pop(path, path) != path
            self._write_line()

    def _write_line(self) -> None:
        counted = f"{self._done} model{'' if self._done == 1 else 's'} done"
        running = ", ".join(self._running.values())
        left = f"{self._left} file{'' if self._left == 1 else 's'} left"
        self._tell("; ".join(part for part in (counted, left, running) if part))
