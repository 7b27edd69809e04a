"""Lets the user's code read files by a path relative to its project, while it works in a folder of lintorch's."""

from __future__ import annotations

import builtins
import functools
import io
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lintorch.guest.imports.fixed_text import find_copy
from lintorch.guest.imports.user_frames import UserCode, get_user_code
from lintorch.machine.work_folders import current_folder

_LOOKING = ("stat", "listdir", "scandir", "access")
_open = builtins.open
_exists = os.path.lexists
_looks = [False]


def redirect_reads() -> None:
    """Look for what is read by a relative path in the project, too; what is written stays where it is, in a folder that is made."""
    builtins.open = io.open = _open_for_reading
    for name in _LOOKING:
        function = getattr(os, name)
        if not hasattr(function, "lintorch_redirects"):
            setattr(os, name, _redirect(function))


def find_in_project(path: Any) -> Any:
    """The path of a file of the project that a path which leads nowhere is meant for; else the same path."""
    code = get_user_code()
    if code is None or _looks[0] or not isinstance(path, (str, os.PathLike)):
        return path
    _looks[0] = True  # what is asked below passes here, too
    try:
        return _look_in_project(path, code)
    finally:
        _looks[0] = False


def _look_in_project(path: Any, code: UserCode) -> Any:
    given = os.fspath(path)
    if not isinstance(given, str) or not given or _exists(given):
        return path
    folder = current_folder()
    if os.path.isabs(given):
        if not folder or not given.startswith(f"{folder}{os.sep}"):
            return path
        given = os.path.relpath(given, folder)
    for around in dict.fromkeys((code.project, code.path.parent, *code.path.parents)):
        if code.project in (around, *around.parents) and _exists(found := str(around / given)):
            return found
    return path


def _open_for_reading(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
    is_read = isinstance(mode, str) and not set(mode) & set("wax+")
    place = (find_copy(file) or find_in_project(file)) if is_read else file
    if not is_read:
        _make_folder_of(file)
    return _open(place, mode, *args, **kwargs)


def _make_folder_of(file: Any) -> None:
    """Make the folder, below that of lintorch's, that a script makes before it writes a log there."""
    folder = current_folder()
    if not folder or not isinstance(file, (str, os.PathLike)):
        return
    with suppress(OSError, TypeError, ValueError):
        around = os.path.realpath(os.path.dirname(os.fspath(file)))
        if around.startswith(f"{os.path.realpath(folder)}{os.sep}"):
            os.makedirs(around, exist_ok=True)


def _redirect(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def look(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
        plain = not kwargs.get("dir_fd")
        return function(find_in_project(path) if plain else path, *args, **kwargs)

    look.lintorch_redirects = True  # type: ignore[attr-defined]
    return look
