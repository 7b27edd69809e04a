"""The pipes between a piece of work and who waits for it: messages, and what it prints."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Iterator
from contextlib import suppress

from lintorch.record.framing import MOST_AT_ALL, Inbox, Message, Parcel, write_line

_KEPT = 4096
"""Bytes of what was printed to each stream, at its end."""
_CHUNK = 1 << 18
"""Bytes that are read at once: four times what a pipe of Linux holds."""
_private: set[int] = set()
"""The descriptors by which lintorch's processes speak with each other; no child keeps one of them."""


def keep_private(descriptor: int) -> int:
    """Have children close a descriptor of this process as soon as they start; the same descriptor."""
    _private.add(descriptor)
    return descriptor


class ClosedError(Exception):
    """The work has closed the pipe that it is to answer on, or put something else in its place."""


class Streams:
    """Messages, standard output and standard error of one forked child; output is kept at its end."""

    def __init__(self, most: int = MOST_AT_ALL) -> None:
        self._pipes = [os.pipe() for _ in range(3)]
        self._inbox = Inbox(most)
        self._printed = [b"", b""]
        self._selector: selectors.BaseSelector | None = None

    def become_writer(self) -> None:
        """In the child: print into the pipes, read from nowhere, and hold no other pipe of lintorch's."""
        own = self._pipes[0][1]
        for number, (reading, writing) in enumerate(self._pipes):
            os.close(reading)
            if number:
                os.dup2(writing, number)
                os.close(writing)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)
        for descriptor in _private:
            with suppress(OSError):  # user code may have closed it
                os.close(descriptor)
        _private.clear()
        keep_private(own)
        self._is_own = _file_identity(own)

    def send_message(self, message: Message | Parcel) -> None:
        """In the child: send one message, whole. Raises ClosedError."""
        own = self._pipes[0][1]
        data = memoryview(write_line(message))
        try:
            if _file_identity(own) != self._is_own:
                raise ClosedError
            while data:
                data = data[_write(own, data) :]
        except OSError as error:
            raise ClosedError from error

    def keep_reading_ends(self) -> None:
        """In the parent: forget the ends that only the child may hold."""
        selector = self._selector = selectors.DefaultSelector()
        if hasattr(selector, "fileno"):
            keep_private(selector.fileno())
        for number, (reading, writing) in enumerate(self._pipes):
            os.close(writing)
            os.set_blocking(keep_private(reading), False)
            selector.register(reading, selectors.EVENT_READ, number)

    def read_messages(self, timeout: float) -> Iterator[Parcel]:
        """The messages that are there, waiting up to `timeout` seconds; 0 reads all that is left.

        Raises ImproperError where one is none, or too much.
        """
        assert self._selector is not None
        if not self._selector.get_map():
            time.sleep(timeout)
        while ready := self._selector.select(timeout):
            read = [self._take_bytes(key.fd, key.data) for key, _ in ready]
            yield from self._inbox.read_parcels()
            if timeout or not any(read):
                break

    def _take_bytes(self, descriptor: int, number: int) -> bool:
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            assert self._selector is not None
            self._selector.unregister(descriptor)
        elif number == 0:
            self._inbox.take_bytes(data)
        else:
            self._printed[number - 1] = (self._printed[number - 1] + data)[-_KEPT:]
        return bool(data)

    def end_of_output(self) -> str:
        """The end of standard output, then the end of standard error."""
        return b"".join(self._printed).decode(errors="replace").strip()

    def close_reading_ends(self) -> None:
        """In the parent: close the reading ends."""
        for reading, _ in self._pipes:
            _private.discard(reading)
            os.close(reading)
        if self._selector is not None:
            if hasattr(self._selector, "fileno"):
                _private.discard(self._selector.fileno())
            self._selector.close()


_write = os.write
_fstat = os.fstat


def _file_identity(descriptor: int) -> tuple[int, int]:
    found = _fstat(descriptor)
    return found.st_dev, found.st_ino
