"""Stops code of this very process that takes too long."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from lintorch.guest.process.deadline import INTERVAL, SpentTime


class TookTooLongError(BaseException):
    """Code has used up its seconds; no handler of `Exception` is meant to catch that."""


@contextmanager
def stop_after(seconds: float) -> Iterator[None]:
    """Raise TookTooLongError in what runs meanwhile after so many seconds, where the platform can interrupt it."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return
    spent = SpentTime(seconds)

    def look(number: int, frame: FrameType | None) -> None:
        if spent.is_over():
            raise TookTooLongError(f"it took more than {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
