"""The pipes between a piece of work and who waits for it: messages, and what it prints."""

from __future__ import annotations

import json
import os
import selectors
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_KEPT = 4096
_CHUNK = 1 << 18


class Streams:
    """Messages, standard output and standard error of one forked child; output is kept at its end."""

    def __init__(self) -> None:
        self._pipes = [os.pipe() for _ in range(3)]
        self._messages = bytearray()
        self._searched = 0
        self._printed = [b"", b""]
        self._selector: selectors.BaseSelector | None = None

    def become_writer(self) -> None:
        """In the child: print into the pipes, read from nowhere."""
        for number, (reading, writing) in enumerate(self._pipes):
            os.close(reading)
            if number:
                os.dup2(writing, number)
                os.close(writing)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)

    def send(self, message: str) -> None:
        """In the child: send one message, whole."""
        data = memoryview(message.encode() + b"\n")
        while data:
            data = data[os.write(self._pipes[0][1], data) :]

    def keep_reading_ends(self) -> None:
        """In the parent: forget the ends that only the child may hold."""
        self._selector = selectors.DefaultSelector()
        for number, (reading, writing) in enumerate(self._pipes):
            os.close(writing)
            os.set_blocking(reading, False)
            self._selector.register(reading, selectors.EVENT_READ, number)

    def read(self, timeout: float) -> Iterator[dict[str, Any]]:
        """The messages that are there, waiting up to `timeout` seconds; 0 reads all that is left."""
        assert self._selector is not None
        if not self._selector.get_map():
            time.sleep(timeout)
        while ready := self._selector.select(timeout):
            read = [self._take(key.fd, key.data) for key, _ in ready]
            if timeout or not any(read):
                break
        for line in self._lines():
            with suppress(ValueError):
                message = json.loads(line)
                if isinstance(message, dict):
                    yield message

    def _lines(self) -> list[bytes]:
        end = self._messages.rfind(b"\n", self._searched)
        self._searched = len(self._messages)
        if end < 0:
            return []
        whole = bytes(self._messages[:end])
        del self._messages[: end + 1]
        self._searched = 0
        return whole.split(b"\n")

    def _take(self, descriptor: int, number: int) -> bool:
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            assert self._selector is not None
            self._selector.unregister(descriptor)
        elif number == 0:
            self._messages += data
        else:
            self._printed[number - 1] = (self._printed[number - 1] + data)[-_KEPT:]
        return bool(data)

    def output(self) -> str:
        """The end of standard output, then the end of standard error."""
        return b"".join(self._printed).decode(errors="replace").strip()

    def close(self) -> None:
        """In the parent: close the reading ends."""
        for reading, _ in self._pipes:
            os.close(reading)
        if self._selector is not None:
            self._selector.close()
