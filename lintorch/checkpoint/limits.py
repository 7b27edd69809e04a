"""How much of a file is read, and how far it is followed; beyond each of these is one clear error."""

from __future__ import annotations

from typing import BinaryIO

MOST_PICKLE = 128 << 20
"""Bytes of all pickles in a file. Weights are not among them."""
MOST_OPCODES = 2_000_000
"""In all pickles of a file: some 40 describe a tensor."""
MOST_NUMBER = 4096
"""Bytes of one whole number."""
MOST_HEADER = 32 << 20
"""Bytes of the header of a safetensors file."""
MOST_DIRECTORY = 24 << 20
"""Bytes of the directory of a zip file, and of anything else in it that is read at once."""
MOST_ENTRIES = 300_000
"""Files in a zip file."""
MOST_DEPTH = 100
"""Values within values that are looked into."""
MOST_GLOBALS = 10_000
"""Classes and functions that a file names and torch does not take."""
MOST_VISITS = 1_000_000
"""Values that are looked into; what is reached in two ways counts twice."""
MOST_DIMENSIONS = 64
"""Of a tensor, which torch bounds by as many."""


class CheckpointError(Exception):
    """The file cannot be read; says why, without its name."""


class BoundedReader:
    """A file of which no more is read than a pickle may take."""

    def __init__(self, file: BinaryIO, most: int = MOST_PICKLE) -> None:
        self._file, self._left = file, most

    def read(self, count: int) -> bytes:
        """As a file does. Raises CheckpointError."""
        self._take(count)
        return self._file.read(count)

    def readline(self) -> bytes:
        """As a file does. Raises CheckpointError."""
        line = self._file.readline(self._left + 1)
        self._take(len(line))
        return line

    def tell(self) -> int:
        """Where the file stands."""
        return self._file.tell()

    def _take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise CheckpointError(f"its pickle takes more than {MOST_PICKLE >> 20} MiB")
