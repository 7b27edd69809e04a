"""The files of a run: which they are, what they say, and how they are written back."""

from lintorch.files.file_text import (
    FileText,
    NotWritten,
    UnreadableFile,
    decode_file,
    has_changed,
    write_file,
)
from lintorch.files.find_files import DEFAULT_EXCLUDE, Found, Missing, Skipped, find_files
from lintorch.files.patterns import Patterns
from lintorch.files.python_files import is_notebook, why_unread
from lintorch.files.read_files import read_file

__all__ = [
    "DEFAULT_EXCLUDE",
    "FileText",
    "Found",
    "Missing",
    "NotWritten",
    "Patterns",
    "Skipped",
    "UnreadableFile",
    "decode_file",
    "find_files",
    "has_changed",
    "is_notebook",
    "read_file",
    "why_unread",
    "write_file",
]  # fmt: skip
