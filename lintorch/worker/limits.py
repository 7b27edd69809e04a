"""Limits on the memory of a piece of work."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from lintorch.worker import tree
from lintorch.worker.deadline import INTERVAL, Spent

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

_INTERVAL = 0.5


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


def shown(size: int) -> str:
    """`size` bytes as people write it: "8 GiB"."""
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{size / 2**20:.3g} MiB"


class TooSlow(BaseException):
    """A part of the work took longer than it may; no handler of the user's for Exception meets it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the main thread when so many seconds are over, where the platform can.

    As for a `Deadline`, time in which other processes have the cores does not count at once.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    spent = Spent(seconds)

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
        return shown(self._size)

    def exceeded(self) -> bool:
        """Whether the processes hold more than they may; looks at most twice a second."""
        if time.monotonic() < self._next or not os.path.isdir("/proc/self"):
            return False
        self._next = time.monotonic() + _INTERVAL
        return tree.resident([self._pid, *tree.descendants(self._pid)]) > self._size
