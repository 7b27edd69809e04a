"""Ending at a signal: what was begun is taken back, what must be whole is brought to its end first."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ASKING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")


class Stopped(KeyboardInterrupt):
    """A signal asks this process to end; `exit_code` is what a shell expects of it then."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


class _SignalState:
    """How many parts that must come to their end are under way, and which signal waits for them."""

    unbroken = 0
    pending = 0


@contextmanager
def stop_at_signals() -> Iterator[None]:
    """Raise Stopped in the main thread at the first signal that asks to end; later ones change nothing.

    What was ignored when this process began (SIGHUP under nohup) stays ignored. A forked child
    ends at once and without a word.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    own = os.getpid()
    usual = (signal.SIG_DFL, signal.default_int_handler)
    numbers = [getattr(signal, name) for name in _ASKING if hasattr(signal, name)]
    before = {n: signal.getsignal(n) for n in numbers if signal.getsignal(n) in usual}

    def stop(number: int, frame: FrameType | None) -> None:
        if os.getpid() != own:
            os._exit(128 + number)
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        if _SignalState.unbroken:
            _SignalState.pending = number
        else:
            raise Stopped(number)

    try:
        for number in before:
            signal.signal(number, stop)
        yield
    except Stopped:
        raise
    except BaseException:
        _restore_handlers(before)
        raise
    else:
        _restore_handlers(before)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Bring what is inside to its end before a signal is heeded."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _SignalState.unbroken += 1
    try:
        yield
    finally:
        _SignalState.unbroken -= 1
        if _SignalState.pending and not _SignalState.unbroken:
            number, _SignalState.pending = _SignalState.pending, 0
            raise Stopped(number)


def _restore_handlers(handlers: dict[int, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
