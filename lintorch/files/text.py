"""The text of a file, exactly, and writing it back so that no one ever sees half of it."""

from __future__ import annotations

import io
import os
import re
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from tokenize import detect_encoding

MAX_BYTES = 4_000_000
"""Larger files are data; parsing one would take gigabytes."""
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Text:
    """A decoded file. `text` keeps its newlines as they are and holds no byte-order mark."""

    path: str
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    newline: str = "\n"
    """How its first line ends."""
    data: bytes = b""
    """The file's bytes as they were read."""

    def encode(self, text: str) -> bytes:
        """Another text as this file's bytes. Raises UnicodeEncodeError."""
        return _BOM * self.bom + text.encode(self.encoding)


@dataclass(frozen=True)
class Unreadable:
    """A file that is not Python text, and why."""

    path: str
    cause: str


class NotWritten(Exception):
    """A file could not be replaced and is as it was."""

    def __init__(self, path: str, cause: str) -> None:
        super().__init__(f"{path}: {cause}")
        self.path = path
        self.cause = cause


def read(path: str) -> Text | Unreadable:
    """Read a file by its byte-order mark or coding line, as Python does."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return Unreadable(path, "not a regular file")
        if found.st_size > MAX_BYTES:
            return Unreadable(path, f"larger than {MAX_BYTES:,} bytes")
        with open(path, "rb") as stream:
            return decode(path, stream.read())
    except OSError as error:
        return Unreadable(path, error.strerror or str(error))


def decode(path: str, data: bytes) -> Text | Unreadable:
    """The text of these bytes."""
    if b"\0" in data:
        return Unreadable(path, "holds NUL bytes")
    try:
        encoding, _ = detect_encoding(io.BytesIO(data).readline)
        bom = encoding == "utf-8-sig"
        encoding = "utf-8" if bom else encoding
        text = data[len(_BOM) * bom :].decode(encoding)
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        return Unreadable(path, f"row {row} is not {error.encoding}: {error.reason}")
    except Exception as error:  # a codec may raise anything
        return Unreadable(path, getattr(error, "msg", None) or str(error))
    newline = re.search(r"\r\n|\n|\r", text)
    return Text(path, text, encoding, bom, newline[0] if newline else "\n", data)


def write(original: Text, text: str) -> None:
    """Replace a file that was read before, keeping encoding, mark, mode, owner and links.

    Raises NotWritten, with the file untouched, where the encoding lacks a character, the file
    has changed since it was read, or the system refuses.
    """
    real = os.path.realpath(original.path)
    try:
        data = original.encode(text)
        if original.encode(original.text) != original.data:
            cause = f"{original.encoding} does not give the same bytes back"
            raise NotWritten(original.path, cause)
        with open(real, "rb") as stream:
            if stream.read() != original.data:
                raise NotWritten(original.path, "changed since it was read")
        if not os.access(real, os.W_OK):
            raise NotWritten(original.path, "read-only")
        replace(real, data, os.stat(real))
    except UnicodeEncodeError as error:
        lacking = error.object[error.start : error.end]
        raise NotWritten(original.path, f"{original.encoding} has no {lacking!r}") from error
    except UnicodeError as error:
        raise NotWritten(original.path, f"{original.encoding} cannot write it: {error}") from error
    except OSError as error:
        raise NotWritten(original.path, error.strerror or str(error)) from error


def replace(path: str, data: bytes, like: os.stat_result | None = None) -> None:
    """Put a whole file in the place of another at once. Raises OSError."""
    handle, temporary = tempfile.mkstemp(
        dir=os.path.dirname(path) or ".", prefix=f".{os.path.basename(path)}.", suffix=".tmp"
    )
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if like is not None:
            with suppress(OSError, AttributeError):
                os.chown(temporary, like.st_uid, like.st_gid)
            os.chmod(temporary, stat.S_IMODE(like.st_mode))
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
