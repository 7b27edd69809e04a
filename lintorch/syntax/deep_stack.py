"""A deep stack: code that Python compiles may be nested thousands of levels, and its tree with it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

R = TypeVar("R")

_SIZES = (256 << 20, 64 << 20)
"""Bytes of stack asked for, the first that the system gives. What is not used is not taken."""
_BYTES_A_CALL = 2_560
"""Stack that a call of a Python function takes at most, where it goes through C."""
_here = threading.local()


def call_deeply(work: Callable[[], R]) -> R:
    """What `work` gives, called where recursion may go deep. Raises what it raises.

    Where the system has no such stack to give, it is called on the one there is.
    """
    if getattr(_here, "deep", False):
        return work()
    task = _Task(work)
    if any(_ran(task, size) for size in _SIZES):
        return task.result()
    return work()


class _Task(Generic[R]):
    """Work for a thread of its own, and what comes of it."""

    def __init__(self, work: Callable[[], R]) -> None:
        self._work = work
        self._results: list[R] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        _here.deep = True
        try:
            self._results.append(self._work())
        except BaseException as error:  # whatever it is, it is raised where it was asked for
            self._error = error

    def result(self) -> R:
        if self._error is not None:
            raise self._error
        return self._results[0]


def _ran(task: _Task[R], size: int) -> bool:
    """Whether a thread with so many bytes of stack could be had; if so, the task is done."""
    thread = threading.Thread(target=task.run, daemon=True)
    with _calls(size // _BYTES_A_CALL):
        try:
            with _stacks(size):
                thread.start()
        except (RuntimeError, ValueError, MemoryError):  # a limit on memory or on threads
            return False
        thread.join()
    return True


@contextmanager
def _stacks(size: int) -> Iterator[None]:
    before = threading.stack_size(size)
    try:
        yield
    finally:
        threading.stack_size(before)


@contextmanager
def _calls(most: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(most, before))
    try:
        yield
    finally:
        with suppress(RecursionError):  # deeper already than the limit as it was
            sys.setrecursionlimit(before)
