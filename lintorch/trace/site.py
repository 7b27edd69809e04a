"""Which lines are the user's: from frames, tracebacks and the stack traces of graph nodes."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType, TracebackType

from lintorch.trace.record import Site
from lintorch.worker.errors import text_of

_LINE = re.compile(r'File "(?P<path>[^"]+)", line (?P<row>\d+)(?:, in (?P<function>\S+))?')
_FOREIGN = ("site-packages", "dist-packages")
_OURS = str(Path(__file__).resolve().parent.parent) + os.sep


class Files:
    """The user's files: those checked, and what lies beside them in their packages and project.

    `checked` maps the real path of each checked file to the path it was given by; `roots` are
    folders of the project. Installed packages are the user's only where a checked file is inside.
    """

    def __init__(self, checked: Mapping[str, str], roots: Iterable[str]) -> None:
        self._checked = dict(checked)
        self._roots = tuple(root.rstrip(os.sep) + os.sep for root in roots)
        self._library = sysconfig.get_paths()["stdlib"] + os.sep
        self._known: dict[str, bool] = {}
        self._shown = dict.fromkeys(checked.values(), True)

    def is_user(self, filename: str) -> bool:
        """Whether a file is the user's."""
        known = self._known.get(filename)
        if known is None:
            known = self._known[filename] = self._judge(filename)
        return known

    def shown(self, filename: str) -> str:
        """A path as the user gave it, else whole: the project need not be the working directory."""
        real = os.path.realpath(filename)
        return self._checked.get(real, real)

    def is_shown(self, path: str) -> bool:
        """Whether a path is as `shown` gives those of the user's files."""
        if path not in self._shown:
            self._shown[path] = os.path.isabs(path) and self.is_user(path)
        return self._shown[path]

    def site(self, frame: FrameType | None) -> Site | None:
        """The innermost line of the user's at or above a frame."""
        while frame is not None:
            if self.is_user(frame.f_code.co_filename):
                return self._site(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
            frame = frame.f_back
        return None

    def of_error(self, error: BaseException) -> Site | None:
        """The innermost line of the user's in an exception's traceback, or one its message names."""
        found = None
        for frame, row in frames(error.__traceback__):
            if self.is_user(frame.f_code.co_filename):
                found = self._site(frame.f_code.co_filename, row, frame.f_code.co_name)
        return self.of_text(text_of(error)) or found

    def of_traceback(self, error: BaseException, shown: str) -> Site | None:
        """The innermost line of one file in an exception's traceback."""
        found = None
        for frame, row in frames(error.__traceback__):
            if self.shown(frame.f_code.co_filename) == shown:
                found = self._site(frame.f_code.co_filename, row, frame.f_code.co_name)
        return found

    def of_text(self, text: str | None) -> Site | None:
        """The last line of the user's that a printed stack trace names."""
        found = None
        for match in _LINE.finditer(text or ""):
            if self.is_user(match["path"]):
                found = self._site(
                    match["path"], max(1, int(match["row"])), match["function"] or ""
                )
        return found

    def _site(self, filename: str, row: int | None, function: str) -> Site:
        return Site(self.shown(filename), row or 1, function)

    def _judge(self, filename: str) -> bool:
        if filename.startswith("<"):
            return False
        real = os.path.realpath(filename)
        if real in self._checked:
            return True
        if real.startswith((_OURS, _torch_folder())):
            return False
        inside = (real.removeprefix(root) for root in self._roots if real.startswith(root))
        return any(not set(_FOREIGN).intersection(path.split(os.sep)) for path in inside)


def frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """The frames of a traceback with their rows, the outermost first."""
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _torch_folder() -> str:
    where = getattr(sys.modules.get("torch"), "__file__", None)
    return os.path.dirname(os.path.realpath(where)) + os.sep if where else "\0"
