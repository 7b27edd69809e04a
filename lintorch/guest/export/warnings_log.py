"""Warnings raised while something is exported, each with the user's line that it speaks of."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from lintorch.guest.export.error_reading import UserFile
from lintorch.record.sites import Site

Heard = dict[tuple[str, Site | None], None]
_OUR_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_DEPRECATIONS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


@contextmanager
def log_warnings(user_file: UserFile) -> Iterator[Heard]:
    """Gathers (first line of the text, site), once each; those of age count only at a user's line."""
    heard: Heard = {}

    def hear(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: str | None = None,
    ) -> None:
        site = _find_named_site(filename, lineno, user_file) or _find_calling_site(
            sys._getframe(1), user_file
        )
        if site or not issubclass(category, _DEPRECATIONS):
            heard.setdefault((str(message).strip().partition("\n")[0], site), None)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = hear
        yield heard


def _find_named_site(path: str, row: int, user_file: UserFile) -> Site | None:
    """The line a warning names, with the function that is at it now."""
    shown = user_file(path)
    if shown is None:
        return None
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename == path and frame.f_lineno == row:
            return Site(shown, max(1, row), frame.f_code.co_name)
        frame = frame.f_back
    return Site(shown, max(1, row))


def _find_calling_site(frame: FrameType | None, user_file: UserFile) -> Site | None:
    """The innermost line of the user's that led to here, above the attempt itself."""
    while frame is not None and not _is_ours(frame):
        if (shown := user_file(frame.f_code.co_filename)) is not None:
            return Site(shown, frame.f_lineno or 1, frame.f_code.co_name)
        frame = frame.f_back
    return None


def _is_ours(frame: FrameType) -> bool:
    path = frame.f_code.co_filename
    return path.startswith(_OUR_FOLDER) and not path.endswith(
        ("flat_outputs.py", "warnings_log.py")
    )
