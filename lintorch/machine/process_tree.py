"""Processes and all that they started, so that none outlives the work it was started for."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from lintorch.machine import linux_calls

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_LISTED = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
"""Whether the kernel lists the children of a process: 70 times as quick as looking at all processes."""
_MOMENT_SECONDS = 0.002
"""Between two looks whether what was killed still starts processes."""


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose own parent ends, where Linux allows it."""
    with suppress(OSError, AttributeError):
        linux_calls.become_subreaper()


def die_with(parent: int) -> None:
    """Kill this process when `parent`, which started it, ends; at once, where Linux allows it."""
    with suppress(OSError, AttributeError):
        linux_calls.die_with_parent(signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def list_descendants(pid: int) -> list[int]:
    """Every process below `pid`, nearest first; empty where there is no /proc.

    One whose sibling ends at this moment may be missing.
    """
    if not _LISTED:
        return _search_descendants(pid)
    found = list(_list_children(pid))
    for child in found:
        found.extend(_list_children(child))
    return found


def memory_held_by(pids: Iterable[int], limit: int) -> int:
    """Bytes of memory that these processes hold, what several share counted once.

    As counting once is dear, the larger sum stands where that is not above the `limit`.
    """
    pids = list(pids)
    resident = sum(_resident_bytes(pid) for pid in pids)
    return resident if resident <= limit else sum(_proportional_bytes(pid) for pid in pids)


def kill_below(pid: int, rounds: int = 20, but: Iterable[int] = ()) -> None:
    """Kill everything below `pid`; again while something there still starts processes.

    The processes `but` and all below them are left alone.
    """
    look, but = list_descendants, list(but)
    for _ in range(rounds):
        spared = {kept for root in but for kept in (root, *look(root))}
        alive = [child for child in look(pid) if child not in spared and _is_living(child)]
        for child in alive:
            _kill_process(child)
        if not alive:
            return
        look = _search_descendants
        time.sleep(_MOMENT_SECONDS)


def kill_tree(pid: int) -> None:
    """Kill the process group that `pid` leads, all that it started, and itself.

    It is halted first: it would start the next piece of work in the place of one that is killed.
    """
    with suppress(OSError, AttributeError):
        os.kill(pid, signal.SIGSTOP)
    end_tree(pid)


def end_tree(pid: int) -> None:
    """As `kill_tree`, of a process that starts nothing any more and need not be halted."""
    kill_below(pid)
    with suppress(OSError, AttributeError):
        os.killpg(pid, signal.SIGKILL)
    _kill_process(pid)


def reap_children(pid: int, but: Collection[int] = ()) -> None:
    """Collect the exit status of a child, and of adopted ones that have ended; not of those `but`."""
    for child in (pid, *list_descendants(os.getpid())):
        if child not in but:
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def _list_children(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                yield from map(int, file.read().split())


def _search_descendants(pid: int) -> list[int]:
    """Every process below `pid`, by asking all processes for their parents."""
    children: dict[int, list[int]] = {}
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError, ValueError, IndexError):
                children.setdefault(int(_read_stat(int(name))[1]), []).append(int(name))
    found = list(children.get(pid, ()))
    for child in found:
        found.extend(children.get(child, ()))
    return found


def _resident_bytes(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * _PAGE
    return 0


def _proportional_bytes(pid: int) -> int:
    """What a process holds, each page divided by the number of those that share it."""
    with suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/smaps_rollup", "rb") as file:
        return int(file.read().partition(b"\nPss:")[2].split()[0]) * 1024
    return _resident_bytes(pid)


def _is_living(pid: int) -> bool:
    with suppress(OSError, IndexError):
        return _read_stat(pid)[0] not in (b"Z", b"X")
    return False


def _read_stat(pid: int) -> list[bytes]:
    """State, parent and so on: what follows the name, which may hold anything."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()


def _kill_process(pid: int) -> None:
    with suppress(OSError):
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
