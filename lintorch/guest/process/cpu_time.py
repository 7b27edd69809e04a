"""Whether a process and all below it work: the time that they had a core, and whether one wants one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lintorch.machine import process_tree

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_STATE, _TIMES = 0, slice(11, 15)
"""In /proc/PID/stat, behind the name: the state; user, system, and those of children that ended."""


def seconds_worked(pid: int) -> float | None:
    """Seconds that a process, all below it and all that ended there had a core; None where nobody says."""
    if not (_PROC / str(pid)).is_dir():
        return None
    return sum(sum(map(int, fields[_TIMES])) for fields in _read_stats(pid)) / _TICKS


def is_running(pid: int) -> bool:
    """Whether a process or one below it runs, waits for a core, or for a disk."""
    return any(fields[_STATE] in "RD" for fields in _read_stats(pid))


def _read_stats(pid: int) -> Iterator[list[str]]:
    for each in (pid, *process_tree.list_descendants(pid)):
        with suppress(OSError, ValueError, IndexError):
            yield (
                (_PROC / str(each) / "stat").read_text(errors="replace").rpartition(")")[2].split()
            )
