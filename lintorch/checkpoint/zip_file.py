"""Zip files as torch writes them, read with limits; nothing is unpacked to the disk."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from lintorch.checkpoint.limits import MOST_DIRECTORY, MOST_ENTRIES, CheckpointError

_ENCRYPTED = 0x1
_PIECE = 1 << 20
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    EOFError,
    ValueError,
    OSError,  # of a place before the file
    OverflowError,
    RuntimeError,
)


class _Directory:
    """A file of which no more is read at once than a directory of a zip file may take."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, count: int = -1) -> bytes:
        data = self._file.read(min(count, MOST_DIRECTORY + 1) if count >= 0 else MOST_DIRECTORY + 1)
        if len(data) > MOST_DIRECTORY:
            raise CheckpointError(f"its directory takes more than {MOST_DIRECTORY >> 20} MiB")
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class ZipFile:
    """The entries below the folder that the first one lies in, as torch looks for them."""

    def __init__(self, file: BinaryIO) -> None:
        """Raises CheckpointError."""
        try:
            self._archive = zipfile.ZipFile(_Directory(file))
        except _UNREADABLE as error:
            raise CheckpointError(
                "it begins as a zip file, and has no whole directory at its end: it is cut off, or"
                " changed"
            ) from error
        found = self._archive.infolist()
        if len(found) > MOST_ENTRIES:
            raise CheckpointError(f"it has more than {MOST_ENTRIES:,} entries")
        self.names = tuple(each.filename for each in found)
        _refuse_doubles(self.names)
        _refuse_overlong(found, file.seek(0, os.SEEK_END))
        first = self.names[0] if self.names else ""
        self.folder = first[: first.index("/") + 1] if "/" in first else ""
        self._entries = {each.filename: each for each in found}

    def find(self, name: str) -> zipfile.ZipInfo | None:
        """The entry of this name in the folder."""
        return self._entries.get(self.folder + name)

    def count_bytes(self, name: str) -> int | None:
        """What an entry holds, unpacked, by the directory; None where there is none."""
        entry = self.find(name)
        return None if entry is None else entry.file_size

    def read(self, name: str, most: int) -> bytes:
        """All of an entry, whose checksum is right. Raises CheckpointError."""
        entry = self.find(name)
        if entry is None:
            raise CheckpointError(f"its zip file has no {name}")
        if entry.file_size > most:
            raise CheckpointError(f"{name} takes {entry.file_size:,} bytes, more than {most:,}")
        with self.open(name) as opened:
            data = b"".join(iter(lambda: opened.read(_PIECE), b""))
        if len(data) != entry.file_size:
            raise CheckpointError(
                f"{name} has {len(data):,} bytes, and {entry.file_size:,} by the directory"
            )
        return data

    @contextmanager
    def open(self, name: str) -> Iterator[Any]:
        """An entry to be read; what goes wrong while it is becomes a CheckpointError."""
        entry = self.find(name)
        if entry is None:
            raise CheckpointError(f"its zip file has no {name}")
        if entry.flag_bits & _ENCRYPTED:
            raise CheckpointError(f"{name} is encrypted, which torch does not read")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise CheckpointError(f"{name} is compressed in a way that torch does not read")
        try:
            with self._archive.open(entry) as opened:
                yield opened
        except _UNREADABLE as error:
            raise CheckpointError(f"{name} cannot be unpacked: {str(error)[:120]}") from error


def _refuse_overlong(found: Sequence[zipfile.ZipInfo], size: int) -> None:
    """torch reads nothing of a file whose directory names more than there is."""
    for each in found:
        if each.header_offset + each.compress_size > size:
            raise CheckpointError(
                f"{each.filename[:80]} takes {each.compress_size:,} bytes by the directory, and the file"
                f" has {size:,} in all"
            )


def _refuse_doubles(names: tuple[str, ...]) -> None:
    """torch heeds no case, and takes the last of several; other readers take the first."""
    seen: set[str] = set()
    for name in names:
        lowered = name.lower()
        if lowered in seen:
            raise CheckpointError(
                f"its zip file has two entries {os.path.normpath(name)[:80]}: which one counts depends on who reads it"
            )
        seen.add(lowered)
