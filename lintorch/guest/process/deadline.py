"""The end of the time that a piece of work has: a machine that is busy with other things does not shorten it.

The time is up when it has gone by, and the work has had a core for as long or does nothing.
Work that waits for its turn goes on, to several times its seconds at most.
"""

from __future__ import annotations

import os
import time

from lintorch.guest.process import cpu_time

PATIENCE = 10
"""How many times its seconds work may take on a machine that gives it no core."""
INTERVAL = 0.5
"""Seconds between two looks at work whose time has gone by."""
_IDLE = 0.02
"""The share of a core with which work does nothing."""


class SpentTime:
    """So many seconds from now for this process itself."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._start = self._looked = time.monotonic()
        self._before = self._last = self._seconds_worked()

    def _seconds_worked(self) -> float | None:
        """Seconds on a core so far; None where nobody says."""
        times = os.times()
        own = times.user + times.system
        return own + times.children_user + times.children_system

    def _wants_core(self) -> bool:
        """Whether it wants a core, and has none."""
        return False

    def is_over(self) -> bool:
        """Whether the time is up."""
        now, worked = time.monotonic(), self._seconds_worked()
        gone = now - self._start
        if worked is None or self._before is None or self._last is None:
            return gone >= self._seconds
        resting = worked - self._last < (now - self._looked) * _IDLE
        self._looked, self._last = now, worked
        if gone < self._seconds:
            return False
        if worked - self._before >= self._seconds or gone >= self._seconds * PATIENCE:
            return True  # no fewer than `clock` counts: else the outer work ends before its parts
        return resting and not self._wants_core()


class Deadline(SpentTime):
    """So many seconds from now for another process and all below it."""

    def __init__(self, pid: int, seconds: float) -> None:
        self._pid = pid
        super().__init__(seconds)

    def _seconds_worked(self) -> float | None:
        return cpu_time.seconds_worked(self._pid)

    def _wants_core(self) -> bool:
        return cpu_time.is_running(self._pid)

    def is_met(self) -> bool:
        """Whether the time is up; looks at most twice a second, and not before that may be so."""
        now = time.monotonic()
        due = max(self._start + self._seconds, self._looked + min(INTERVAL, self._seconds))
        return now >= due and self.is_over()


class _Clock:
    """Counts the seconds that this process, and children of its that ended, had a core.

    While it waits for other things, a part of the time that goes by counts.
    """

    def __init__(self) -> None:
        self.restart_clock()

    def restart_clock(self) -> None:
        """Begin anew, as a child has to."""
        self._shown = 0.0
        self._now, self._worked = self._read_times()

    def __call__(self) -> float:
        """Seconds of work so far."""
        now, worked = self._read_times()
        self._shown += max(worked - self._worked, (now - self._now) / PATIENCE)
        self._now, self._worked = now, worked
        return self._shown

    def _read_times(self) -> tuple[float, float]:
        times = os.times()
        own = times.user + times.system
        return time.monotonic(), own + times.children_user + times.children_system


clock = _Clock()
