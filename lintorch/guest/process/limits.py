"""Limits on the memory of a piece of work, and on what it writes to disk."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from lintorch.guest.process.deadline import INTERVAL, SpentTime
from lintorch.machine import process_tree
from lintorch.record.limit_words import size_in_words

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

_INTERVAL = 0.5
"""Seconds between two looks: one at memory reads files of every process below."""
_REST = 20
"""Times as long as a look at the disk took, until the next."""
_BLOCK = 4096
"""Bytes of disk that an empty file takes as well, with its entry."""


def limit_memory(size: int) -> None:
    """Let allocations of this process beyond `size` bytes fail, where the platform can."""
    if resource is not None:
        with suppress(OSError, ValueError):
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            resource.setrlimit(resource.RLIMIT_DATA, (size, hard))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def lift_memory() -> None:
    """Allow memory again, so that a failure can be reported."""
    if resource is not None:
        with suppress(OSError, ValueError):
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def limit_files(size: int) -> None:
    """Let this process, and all that it starts, end where a file grows beyond `size` bytes; 0: never."""
    if resource is not None and size:
        with suppress(OSError, ValueError):
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class TooSlow(BaseException):
    """A part of the work took longer than it may; no handler of the user's for Exception meets it."""


@contextmanager
def limit_seconds(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the main thread when so many seconds are over, where the platform can.

    As for a `Deadline`, time in which other processes have the cores does not count at once.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    spent = SpentTime(seconds)

    def look(*_: Any) -> None:
        if spent.is_over():
            raise TooSlow(f"it did not finish within {seconds:g} s")
        signal.setitimer(signal.ITIMER_REAL, INTERVAL)

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class MemoryWatch:
    """Looks now and then at what a process and all below it hold together."""

    def __init__(self, pid: int, size: int) -> None:
        self._pid, self._size = pid, size
        self._next = time.monotonic() + _INTERVAL

    def __str__(self) -> str:
        return size_in_words(self._size)

    def is_exceeded(self) -> bool:
        """Whether the processes hold more than they may; looks at most twice a second."""
        if time.monotonic() < self._next or not os.path.isdir("/proc/self"):
            return False
        self._next = time.monotonic() + _INTERVAL
        processes = [self._pid, *process_tree.list_descendants(self._pid)]
        return process_tree.memory_held_by(processes, self._size) > self._size


class DiskWatch:
    """Looks now and then at what has come into folders since it began; 0 bytes: it never looks."""

    def __init__(self, folders: Sequence[str], size: int) -> None:
        self._folders, self._size = folders, size
        self._before = count_bytes(folders) if size else 0
        self._next = time.monotonic() + _INTERVAL

    def __str__(self) -> str:
        """The cause where more was written; what limits each file is that of all."""
        size = self._size
        if not size and resource is not None:
            size = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        return f"it wrote more than {size_in_words(size)} to disk; `trace-disk` raises this limit"

    def is_exceeded(self) -> bool:
        """Whether more came than may; looks at most twice a second, less often where many files lie."""
        began = time.monotonic()
        if not self._size or began < self._next:
            return False
        grown = count_bytes(self._folders, self._before + self._size) - self._before
        took = time.monotonic() - began
        self._next = began + max(_INTERVAL, _REST * took)
        return grown > self._size


def count_bytes(folders: Sequence[str], limit: float = math.inf) -> int:
    """Bytes that the files below folders take, each at least a block; counted until beyond the `limit`."""
    taken, folders = 0, list(folders)
    while folders and taken <= limit:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                taken += max(_BLOCK, _file_size(entry))
                if taken > limit:
                    break
    return taken


def _file_size(entry: os.DirEntry[str]) -> int:
    with suppress(OSError):
        found = entry.stat(follow_symlinks=False)
        return getattr(found, "st_blocks", 0) * 512 or found.st_size
    return 0
