"""Reading files: those of Python as they are, notebooks as the module of their cells."""

from __future__ import annotations

import os
import stat
from dataclasses import replace

from lintorch.files.file_text import FileText, UnreadableFile, decode_file
from lintorch.files.python_files import MAX_BYTES, is_notebook

_MOST_OF_NOTEBOOK = 100_000_000
"""Bytes: pictures and outputs make notebooks big, and are not parsed."""


def read_file(path: str) -> FileText | UnreadableFile:
    """Read a file by its byte-order mark or coding line, as Python does."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return UnreadableFile(path, "not a regular file")
        most = _MOST_OF_NOTEBOOK if is_notebook(path) else MAX_BYTES
        if found.st_size > most:
            return UnreadableFile(path, f"larger than {most:,} bytes")
        real = os.path.realpath(path)
        with open(real, "rb") as stream:
            text = _decode(path, stream.read())
        return replace(text, real=real) if isinstance(text, FileText) else text
    except OSError as error:
        return UnreadableFile(path, error.strerror or str(error))


def _decode(path: str, data: bytes) -> FileText | UnreadableFile:
    if not is_notebook(path):
        return decode_file(path, data)
    from lintorch.files.notebook_text import decode_notebook

    return decode_notebook(path, data)
