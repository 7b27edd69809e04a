"""The text of a file, exactly, and writing it back so that no one ever sees half of it."""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from tokenize import detect_encoding

from lintorch.machine.stopping import defer_signals

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class FileText:
    """A decoded file. `text` keeps its newlines as they are and holds no byte-order mark."""

    path: str
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    newline: str = "\n"
    """How its first line ends."""
    data: bytes = b""
    """The file's bytes as they were read."""
    real: str = ""
    """Where these lay, links followed; "" of a text that is no file's."""

    def encode_text(self, text: str) -> bytes:
        """Another text as this file's bytes. Raises UnicodeEncodeError."""
        return _BOM * self.bom + text.encode(self.encoding)


@dataclass(frozen=True)
class UnreadableFile:
    """A file that is not Python text, and why."""

    path: str
    cause: str


class NotWritten(Exception):
    """A file could not be replaced and is as it was."""

    def __init__(self, path: str, cause: str) -> None:
        super().__init__(f"{path}: {cause}")
        self.path = path
        self.cause = cause


def decode_file(path: str, data: bytes) -> FileText | UnreadableFile:
    """The text of these bytes."""
    if b"\0" in data:
        return UnreadableFile(path, "holds NUL bytes")
    try:
        encoding, _ = detect_encoding(io.BytesIO(data).readline)
        bom = encoding == "utf-8-sig"
        encoding = "utf-8" if bom else encoding
        text = data[len(_BOM) * bom :].decode(encoding)
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        return UnreadableFile(path, f"row {row} is not {error.encoding}: {error.reason}")
    except Exception as error:  # a codec may raise anything
        return UnreadableFile(path, getattr(error, "msg", None) or str(error))
    newline = re.search(r"\r\n|\n|\r", text)
    return FileText(path, text, encoding, bom, newline[0] if newline else "\n", data)


def write_file(original: FileText, text: str) -> None:
    """Replace a file that was read before, keeping encoding, mark, mode, owner and links.

    Raises NotWritten, with the file untouched, where the encoding lacks a character, the file
    has changed since it was read, or the system refuses.
    """
    real = os.path.realpath(original.path)
    try:
        data = original.encode_text(text)
        if original.encode_text(original.text) != original.data:
            cause = f"{original.encoding} does not give the same bytes back"
            raise NotWritten(original.path, cause)
        if not os.access(real, os.W_OK) and os.access(real, os.R_OK):
            raise NotWritten(original.path, "read-only")
        replace_file(real, data, os.stat(real), lambda: _require_unchanged(original))
    except UnicodeEncodeError as error:
        lacking = error.object[error.start : error.end]
        raise NotWritten(original.path, f"{original.encoding} has no {lacking!r}") from error
    except UnicodeError as error:
        raise NotWritten(original.path, f"{original.encoding} cannot write it: {error}") from error
    except OSError as error:
        cause = error.strerror or str(error)
        raise NotWritten(original.path, f"{cause}; nothing was written to it") from error


def has_changed(original: FileText) -> bool:
    """Whether a file is no longer what was read: other bytes, gone, unreadable, elsewhere linked."""
    try:
        _require_unchanged(original)
    except (NotWritten, OSError):
        return True
    return False


def _require_unchanged(original: FileText) -> None:
    """Raises NotWritten or OSError where a file is no longer what was read."""
    real = os.path.realpath(original.path)
    with open(real, "rb") as stream:
        same = stream.read() == original.data
    if not same or real != original.real:
        raise NotWritten(original.path, "changed since it was read; nothing was written to it")


def write_whole(path: str, data: bytes) -> None:
    """Put a whole file at a path, through links; a new one may be read by whom the user lets. Raises OSError."""
    real = os.path.realpath(path)
    like = os.stat(real) if os.path.exists(real) else None
    replace_file(real, data, like)
    if like is None:
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(real, 0o666 & ~umask)


def replace_file(
    path: str,
    data: bytes,
    like: os.stat_result | None = None,
    still: Callable[[], None] = lambda: None,
    lasting: bool = True,
) -> None:
    """Put a whole file in the place of another at once. Raises OSError, and what `still` raises.

    `still` is asked last, when the new file lies ready; `lasting` waits for the disk.
    """
    with defer_signals():
        _put_in_place(path, data, like, still, lasting)


def _put_in_place(
    path: str,
    data: bytes,
    like: os.stat_result | None,
    still: Callable[[], None],
    lasting: bool,
) -> None:
    import tempfile  # with what it needs a twentieth of a run in which nothing has changed

    handle, temporary = tempfile.mkstemp(
        dir=os.path.dirname(path) or ".", prefix=f".{os.path.basename(path)}.", suffix=".tmp"
    )
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
            if lasting:
                stream.flush()
                os.fsync(stream.fileno())
        if like is not None:
            with suppress(OSError, AttributeError):
                os.chown(temporary, like.st_uid, like.st_gid)
            os.chmod(temporary, stat.S_IMODE(like.st_mode))
        still()
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
