"""The files of a run: which they are, what they say, and how they are written back."""

from lintorch.files.find import DEFAULT_EXCLUDE, Found, Missing, find
from lintorch.files.patterns import Patterns
from lintorch.files.text import NotWritten, Text, Unreadable, changed, decode, read, write

__all__ = [
    "DEFAULT_EXCLUDE", "Found", "Missing", "NotWritten", "Patterns", "Text", "Unreadable",
    "changed", "decode", "find", "read", "write",
]  # fmt: skip
