"""Whether a file that is given by name is one of Python."""

from __future__ import annotations

import os
import re

MAX_BYTES = 4_000_000
"""Larger files are data; parsing one would take gigabytes."""
NOTEBOOK = ".ipynb"
_ENDINGS = (".py", ".pyi", ".pyw")
_SHEBANG = re.compile(rb"#!.*(python|pypy|\buv run\b)")


def is_notebook(path: str) -> bool:
    """Whether a path is that of a notebook."""
    return path.lower().endswith(NOTEBOOK)


def why_unread(path: str, notebooks: bool = False) -> str:
    """Why a file is not looked at, though it was given by name; "" where it is.

    Notebooks are where they are read for what is asked. Without an ending, a file is Python by its first line, or where all of it parses.
    """
    ending = os.path.splitext(path)[1].lower()
    if ending == NOTEBOOK:
        return "" if notebooks else "notebooks are not explained"
    if ending in _ENDINGS or not os.path.isfile(path) or _is_python(path, bool(ending)):
        return ""
    return "not a Python file"


def _is_python(path: str, is_something_else: bool) -> bool:
    try:
        with open(path, "rb") as stream:
            data = stream.read(MAX_BYTES)
    except OSError:
        return not is_something_else  # reading it for good tells what is wrong
    if data.startswith(b"#!"):
        return bool(_SHEBANG.match(data))
    return not is_something_else and _parses_as_python(data)


def _parses_as_python(data: bytes) -> bool:
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
