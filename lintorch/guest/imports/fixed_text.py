"""A text that this process reads in the place of a file: a fix is tried before anything is written."""

from __future__ import annotations

import io
import linecache
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from lintorch.guest.imports import notebook_modules
from lintorch.machine.work_folders import current_folder

_texts: dict[str, bytes] = {}
_copies: dict[str, str] = {}
_get_data, _get_stats = SourceFileLoader.get_data, SourceFileLoader.path_stats


def put_in_place(path: str, data: bytes) -> None:
    """Have imports, reads of source and `open` find these bytes where the file with this real path lies."""
    _texts[path] = data
    _real_path.cache_clear()
    lines = io.TextIOWrapper(io.BytesIO(data), "utf-8", "replace", newline=None).readlines()
    linecache.cache[path] = (len(data), None, lines, path)
    SourceFileLoader.get_data = _get_fixed_data  # type: ignore[method-assign,assignment]
    SourceFileLoader.path_stats = _get_stats_of_original  # type: ignore[method-assign]


def read_source(path: str) -> bytes:
    """The bytes that a file is taken to hold. Raises OSError."""
    return _texts.get(os.path.realpath(path)) or notebook_modules.read_source(path)


def find_copy(path: Any) -> str | None:
    """A file that holds the text put in the place of this one; None where there is none."""
    if not _texts or not isinstance(path, (str, os.PathLike)):
        return None
    given = os.fspath(path)
    real = _real_path(given) if isinstance(given, str) else ""
    if real not in _texts:
        return None
    if real not in _copies:
        folder = tempfile.mkdtemp(dir=current_folder() or None)
        _copies[real] = os.path.join(folder, os.path.basename(real))
        Path(_copies[real]).write_bytes(_texts[real])
    return _copies[real]


@cache
def _real_path(path: str) -> str:
    return os.path.realpath(path)


def _get_fixed_data(self: SourceFileLoader, path: str) -> bytes:
    found = _texts.get(_real_path(path))
    return _get_data(self, path) if found is None else found


def _get_stats_of_original(self: SourceFileLoader, path: str) -> Mapping[str, Any]:
    """Of a text in another's place there are none, so that no bytecode is taken for its own."""
    if _real_path(path) in _texts:
        raise OSError(f"{path} is read from elsewhere")
    return _get_stats(self, path)
