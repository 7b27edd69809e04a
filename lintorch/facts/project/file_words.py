"""The words of a file, kept until it changes."""

from __future__ import annotations

import re
import sys
from functools import lru_cache

from lintorch.core.file_views import Stamp, read_bytes, stamp_file

KEPT = 1 << 14
"""Files of which is kept what they say, at most."""


def list_words(path: str) -> frozenset[str]:
    """The words of its text, of code and of comments alike."""
    return _words_stamped(path, stamp_file(path))


@lru_cache(KEPT)
def _words_stamped(path: str, stamp: Stamp) -> frozenset[str]:
    data = read_or_empty(path)
    if data.isascii():
        words = data.translate(_BLANKS).decode("ascii").split()
    else:
        words = re.findall(r"\w+", data.decode(errors="ignore"))
    return frozenset(map(sys.intern, words))


_BLANKS = bytes(each if chr(each).isalnum() or chr(each) == "_" else 32 for each in range(256))
"""A blank for each byte of ASCII that is no part of a word."""


def read_or_empty(path: str) -> bytes:
    """What it holds; nothing of a file that cannot be read."""
    try:
        return read_bytes(path)
    except OSError:
        return b""
