"""Which lines are the user's: from frames, tracebacks and the stack traces of graph nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import FrameType, TracebackType

from lintorch.guest.process.error_text import text_of
from lintorch.record.sites import Site
from lintorch.record.user_files import UserFiles

_LINE = re.compile(r'File "(?P<path>[^"]+)", line (?P<row>\d+)(?:, in (?P<function>\S+))?')


class UserLines(UserFiles):
    """The user's files, and which of their lines frames and texts speak of."""

    def find_site(self, frame: FrameType | None) -> Site | None:
        """The innermost line of the user's at or above a frame."""
        while frame is not None:
            if self.is_user(frame.f_code.co_filename):
                return self._site(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
            frame = frame.f_back
        return None

    def of_error(self, error: BaseException) -> Site | None:
        """The innermost line of the user's in an exception's traceback, or one its message names."""
        found = None
        for frame, row in walk_frames(error.__traceback__):
            if self.is_user(frame.f_code.co_filename):
                found = self._site(frame.f_code.co_filename, row, frame.f_code.co_name)
        return self.of_text(text_of(error)) or found

    def of_traceback(self, error: BaseException, shown: str) -> Site | None:
        """The innermost line of one file in an exception's traceback."""
        found = None
        for frame, row in walk_frames(error.__traceback__):
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


def walk_frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """The frames of a traceback with their rows, the outermost first."""
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next
