"""Processes and all that they started, so that none outlives the work it was started for."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_SUBREAPER = 36
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose own parent ends, where Linux allows it."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def descendants(pid: int) -> list[int]:
    """Every process below `pid`, nearest first; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for entry in _PROC.glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            parent = int(entry.read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.parent.name))
    found = list(children.get(pid, ()))
    for child in found:
        found.extend(children.get(child, ()))
    return found


def resident(pids: list[int]) -> int:
    """Bytes of memory that these processes hold; what several share counts once."""
    return sum(map(_held, pids))


def _held(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        rolled_up = (_PROC / str(pid) / "smaps_rollup").read_text()
        return int(rolled_up.partition("\nPss:")[2].split()[0]) * 1024
    with suppress(OSError, ValueError, IndexError):
        return int((_PROC / str(pid) / "statm").read_text().split()[1]) * _PAGE
    return 0


def kill_below(pid: int, rounds: int = 20, but: Iterable[int] = ()) -> None:
    """Kill everything below `pid`; again while something there still starts processes.

    The processes `but` and all below them are left alone.
    """
    for _ in range(rounds):
        spared = {kept for root in but for kept in (root, *descendants(root))}
        alive = [child for child in descendants(pid) if child not in spared and _living(child)]
        if not alive:
            return
        for child in alive:
            _kill(child)


def kill(pid: int) -> None:
    """Kill the process group that `pid` leads, all that it started, and itself.

    It is halted first: it would start the next piece of work in the place of one that is killed.
    """
    with suppress(OSError, AttributeError):
        os.kill(pid, signal.SIGSTOP)
    kill_below(pid)
    with suppress(OSError, AttributeError):
        os.killpg(pid, signal.SIGKILL)
    _kill(pid)


def reap(pid: int, but: Collection[int] = ()) -> None:
    """Collect the exit status of a child, and of adopted ones that have ended; not of those `but`."""
    for child in (pid, *descendants(os.getpid())):
        if child not in but:
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def _living(pid: int) -> bool:
    with suppress(OSError, IndexError):
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
        return stat.rpartition(")")[2].split()[0] not in "ZX"
    return False


def _kill(pid: int) -> None:
    with suppress(OSError):
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
