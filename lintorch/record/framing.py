"""How messages cross a pipe between two of lintorch's processes: one JSON object a line, with one key, its tag.

Whoever writes may be code that is not ours, so a line is bounded before it is read, and a line
that is no message is an error of the work that wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from lintorch.record import wire
from lintorch.record.tagged import Tagged

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


class Message(Tagged):
    """Base of the frozen classes that one process sends to another; see `lintorch.record.messages`."""


Opened = TypeVar("Opened", bound=Message)


@dataclass(frozen=True)
class Parcel:
    """A message as it arrived: of which kind it says it is, and what it holds, not yet read."""

    tag: str
    parts: Any

    def open_as(self, kind: type[Opened]) -> Opened:
        """The message, of this class or one below it. Raises MalformedError."""
        return wire.read_value(kind, {self.tag: self.parts})


def parcel_of(message: Message | Parcel) -> Parcel:
    """A message as it will arrive."""
    if isinstance(message, Parcel):
        return message
    ((tag, parts),) = wire.pack_value(message).items()
    return Parcel(tag, parts)


def write_line(message: Message | Parcel) -> bytes:
    """A message as it crosses a pipe."""
    parcel = parcel_of(message)
    return _dump({parcel.tag: parcel.parts}).encode() + b"\n"


def read_line(line: bytes) -> Parcel:
    """The message in a line. Raises ImproperError."""
    if sum(map(line.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise ImproperError(f"it sent a message of more than {MOST_VALUES:,} values")
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise ImproperError(_NO_MESSAGE) from error
    if not isinstance(data, dict) or len(data) != 1:
        raise ImproperError(_NO_MESSAGE)
    ((tag, parts),) = data.items()
    return Parcel(tag, parts)


_NO_MESSAGE = "it wrote to the pipe on which lintorch reads its results, and no result"


class Inbox:
    """The lines of one writer as they arrive, no more of them in hand than is needed."""

    def __init__(self, most: int = MOST_AT_ALL) -> None:
        self._most = most
        self._bytes = bytearray()
        self._searched = 0
        self._taken = 0
        self._count = 0

    def take_bytes(self, data: bytes) -> None:
        """Take what has arrived. Raises ImproperError where that is too much."""
        self._bytes += data
        self._taken += len(data)
        if self._taken > self._most:
            raise ImproperError(f"it sent more than {self._most >> 20} MiB of results")

    def read_parcels(self) -> Iterator[Parcel]:
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


def _bounded(line: bytes) -> Parcel:
    if len(line) > MOST_BYTES:
        raise ImproperError(_TOO_LONG)
    return read_line(line)
