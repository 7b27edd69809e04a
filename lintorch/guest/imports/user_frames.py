"""Which code of this process is the user's, and where it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from lintorch.guest.imports.guarded_lines import SpecialLines, read_special_lines
from lintorch.record.repository import find_repository
from lintorch.record.sites import Site
from lintorch.record.user_files import UserFiles, package_root


class UserCode:
    """The user's files, the project they are of, and the checked one among them."""

    def __init__(self, path: Path, project: Path) -> None:
        self.path = path
        self.project = find_repository(project)
        self.root = package_root(path)
        around = {str(self.project), str(self.root)}
        self._files = UserFiles({os.path.realpath(path): str(path)}, around)

    def is_user(self, filename: object) -> bool:
        """Whether a file is of the project, or is the checked one."""
        return isinstance(filename, str) and self._files.is_user(filename)

    def find_frame(self) -> FrameType | None:
        """The innermost frame of the user's code below which this is called."""
        return next(self._walk_frames(), None)

    def is_import_guarded(self) -> bool:
        """Whether the user's code deals with an ImportError that would be raised here."""
        return any(row in lines.imports_guarded for lines, row in self._walk_lines())

    def is_error_guarded(self) -> bool:
        """Whether the user's code deals with whatever would be raised here."""
        return any(row in lines.errors_guarded for lines, row in self._walk_lines())

    def name_place(self) -> str:
        """`backbone.py:31`, relative to the project; "" where no code of the user's runs."""
        if (frame := self.find_frame()) is None:
            return ""
        return f"{self.shorten_path(frame.f_code.co_filename)}:{frame.f_lineno}"

    def shorten_path(self, filename: str) -> str:
        """A path relative to the project, where it is inside."""
        real = os.path.realpath(filename)
        inside = real.startswith(f"{os.path.realpath(self.project)}{os.sep}")
        return os.path.relpath(real, os.path.realpath(self.project)) if inside else real

    def _walk_lines(self) -> Iterator[tuple[SpecialLines, int]]:
        for frame in self._walk_frames():
            yield read_special_lines(frame.f_code.co_filename), frame.f_lineno

    def _walk_frames(self) -> Iterator[FrameType]:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self.is_user(frame.f_code.co_filename):
                yield frame
            frame = frame.f_back


_current: list[UserCode] = []


def set_user_code(code: UserCode) -> None:
    """Say whose code this process runs from now on."""
    _current[:] = [code]


def get_user_code() -> UserCode | None:
    """What `set_user_code` was given last."""
    return _current[0] if _current else None


def name_line(site: Site | None) -> str:
    """A line as messages name it: of another file than the model's, from the project's root."""
    if site is None:
        return ""
    code = get_user_code()
    if code is None or not os.path.isabs(site.path):  # as the user named it
        return f"{site.path}:{site.row}"
    other = os.path.realpath(site.path) != os.path.realpath(code.path)
    return f"{code.shorten_path(site.path) if other else site.path}:{site.row}"
