"""The files of a run: which they are, what they say, and how they are written back."""

from lintorch.files.find import DEFAULT_EXCLUDE, Found, Missing, Skipped, find
from lintorch.files.patterns import Patterns
from lintorch.files.python import why_unread
from lintorch.files.text import NotWritten, Text, Unreadable, changed, decode, read, write

__all__ = [
    "DEFAULT_EXCLUDE", "Found", "Missing", "NotWritten", "Patterns", "Skipped", "Text",
    "Unreadable", "changed", "decode", "find", "read", "why_unread", "write",
]  # fmt: skip
