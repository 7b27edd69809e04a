"""The files of a run: which they are, what they say, and how they are written back."""

from lintorch.files.discover import DEFAULT_EXCLUDE, Found, Missing, Skipped, find_files
from lintorch.files.file_text import NotWritten, Text, Unreadable, changed, decode, read, write
from lintorch.files.patterns import Patterns
from lintorch.files.python_files import why_unread

__all__ = [
    "DEFAULT_EXCLUDE", "Found", "Missing", "NotWritten", "Patterns", "Skipped", "Text",
    "Unreadable", "changed", "decode", "find_files", "read", "why_unread", "write",
]  # fmt: skip
