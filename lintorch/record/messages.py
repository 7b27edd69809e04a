"""What crosses a pipe between two of lintorch's processes: one JSON object a line, with one key, its kind.

Whoever writes may be code that is not ours, so a line is bounded before it is read, and a line
that is no message is an error of the work that wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Message = dict[str, Any]
MOST_BYTES = 32 << 20
"""Of one message; a run of 20,000 events, the most that are recorded, takes nine MiB."""
MOST_VALUES = 4_000_000
"""In one message: what is short to write can be large to hold."""
MOST_AT_ALL = 128 << 20
"""Bytes that one piece of work sends at all."""
MOST_MESSAGES = 20_000
CLOSED = 113
"""The exit status of work that could not answer any more."""
_dump = json.JSONEncoder().encode


class ImproperError(Exception):
    """What was written is no message, or too much of it; the text says which, for the user."""


def line_of(message: Message) -> bytes:
    """A message as it crosses a pipe."""
    return _dump(message).encode() + b"\n"


def message_of(line: bytes) -> Message:
    """The message in a line. Raises ImproperError."""
    if sum(map(line.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise ImproperError(f"it sent a message of more than {MOST_VALUES:,} values")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise ImproperError(_NO_MESSAGE) from error
    if not isinstance(message, dict) or len(message) != 1:
        raise ImproperError(_NO_MESSAGE)
    return message


_NO_MESSAGE = "it wrote to the pipe on which lintorch reads its results, and no result"


class Inbox:
    """The lines of one writer as they arrive, no more of them in hand than is needed."""

    def __init__(self, most: int = MOST_AT_ALL) -> None:
        self._most = most
        self._bytes = bytearray()
        self._searched = 0
        self._taken = 0
        self._count = 0

    def take(self, data: bytes) -> None:
        """Take what has arrived. Raises ImproperError where that is too much."""
        self._bytes += data
        self._taken += len(data)
        if self._taken > self._most:
            raise ImproperError(f"it sent more than {self._most >> 20} MiB of results")

    def messages(self) -> Iterator[Message]:
        """The messages that are whole. Raises ImproperError."""
        while (end := self._bytes.find(b"\n", self._searched)) >= 0:
            line = bytes(self._bytes[:end])
            del self._bytes[: end + 1]
            self._searched = 0
            self._count += 1
            if self._count > MOST_MESSAGES:
                raise ImproperError(f"it sent more than {MOST_MESSAGES:,} messages")
            yield _bounded(line)
        self._searched = len(self._bytes)
        if self._searched > MOST_BYTES:
            raise ImproperError(_TOO_LONG)


_TOO_LONG = f"it sent a message longer than {MOST_BYTES >> 20} MiB"


def _bounded(line: bytes) -> Message:
    if len(line) > MOST_BYTES:
        raise ImproperError(_TOO_LONG)
    return message_of(line)
