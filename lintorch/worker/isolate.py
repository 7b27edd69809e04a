"""Runs a piece of work in a forked child: limited in time and memory, its output captured, its leftovers killed."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from lintorch.worker import limits, tree
from lintorch.worker.streams import Streams

Message = dict[str, Any]
Send = Callable[[Message], None]
Work = Callable[[Send], None]
SLACK = 5.0
"""Seconds an outer piece of work is given beyond the inner one it waits for."""
_TICK = 0.05


@dataclass(frozen=True)
class Ending:
    """How a piece of work ended: `cause` is "" where it came to its end."""

    cause: str
    output: str


def isolate(
    work: Work,
    seconds: float,
    memory: int,
    together: int = 0,
    disk: int = 0,
    folders: Sequence[str] = (),
) -> Generator[Message, None, Ending]:
    """Yield what `work` sends, as it comes; return how it ended.

    A message {"allow": s} gives the work s seconds from now on, and is passed on with some
    slack, so that whatever waits for this work waits long enough. The work itself may hold
    `memory` bytes; with all that it starts, `together` (else the same). It may add `disk` bytes
    (0: as many as it likes) to what is in the `folders`.
    """
    pieces = ticking(work, seconds, memory, together, disk=disk, folders=folders)
    while True:
        try:
            message = next(pieces)
        except StopIteration as stop:
            ending: Ending = stop.value
            return ending
        if message is not None:
            yield message


def ticking(
    work: Work,
    seconds: float,
    memory: int,
    together: int = 0,
    beside: set[int] | None = None,
    disk: int = 0,
    folders: Sequence[str] = (),
) -> Generator[Message | None, None, Ending]:
    """As `isolate`, yielding None now and then, so that several can be waited for in turn.

    Those that run side by side share `beside`, the processes that are none of each other's business.
    """
    if not hasattr(os, "fork"):
        return (yield from _here(work))
    beside = set() if beside is None else beside
    streams, parent = Streams(), os.getpid()
    written = limits.DiskWatch(folders, disk)
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        tree.die_with(parent)
        limits.limit_files(disk)
        _run(work, streams, memory)
    streams.keep_reading_ends()
    beside.add(pid)
    try:
        watch = limits.MemoryWatch(pid, together or memory)
        return (yield from _watch(pid, streams, seconds, watch, written, beside))
    finally:
        beside.discard(pid)
        tree.kill(pid)
        tree.kill_below(os.getpid(), but=beside)
        tree.reap(pid, but=beside)
        streams.close()


def _here(work: Work) -> Generator[Message | None, None, Ending]:
    """Without fork: in this process, without limits."""
    sent: list[Message] = []
    cause = ""
    try:
        work(sent.append)
    except BaseException as error:  # whatever user code raises, SystemExit too
        cause = f"{type(error).__name__}: {error}"
    yield from sent
    return Ending(cause, "")


def _watch(
    pid: int,
    streams: Streams,
    seconds: float,
    watch: limits.MemoryWatch,
    written: limits.DiskWatch,
    beside: set[int],
) -> Generator[Message | None, None, Ending]:
    parent, deadline, end, status = os.getppid(), time.monotonic() + seconds, None, None
    while status is None:
        status = _status(pid)
        if status is not None:  # what it left running could print for ever
            tree.kill(pid)
            tree.kill_below(os.getpid(), but=beside - {pid})
        yield None
        for message in streams.read(_TICK if status is None else 0):
            if "end" in message:
                end = message["end"]
            elif "allow" in message:
                seconds, deadline = message["allow"], time.monotonic() + message["allow"]
                yield {"allow": seconds + SLACK}
            else:
                yield message
        if status is None and time.monotonic() > deadline:
            return Ending(f"it did not finish within {seconds:g} s", streams.output())
        if watch.exceeded():
            return Ending(f"it used more than {watch} of memory", streams.output())
        if written.exceeded():
            return Ending(str(written), streams.output())
        if os.getppid() != parent:  # nobody waits for this any more
            tree.kill(pid)
            os._exit(1)
    return Ending(_cause(status, written) if end is None else end, streams.output())


def _status(pid: int) -> int | None:
    done, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else None


def _cause(status: int, written: limits.DiskWatch) -> str:
    if status >= 0:
        return f"it ended the process itself, with exit status {status}"
    name = signal.Signals(-status).name
    if name == "SIGXFSZ":
        return str(written)
    crash = " (a crash in native code)" if name in ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE") else ""
    return f"it was killed by {name}{crash}"


def _run(work: Work, streams: Streams, memory: int) -> None:
    """The child's life; never returns."""
    status = 1
    try:
        os.setsid()
        streams.become_writer()
        tree.adopt_orphans()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        limits.limit_memory(memory)
        end = ""
        try:
            work(lambda message: streams.send(json.dumps(message)))
        except BaseException as error:  # whatever user code raises, SystemExit too
            limits.lift_memory()
            end = f"{type(error).__name__}: {error}"
        sys.stdout.flush()
        sys.stderr.flush()
        streams.send(json.dumps({"end": end}))
        status = 0
    finally:
        os._exit(status)
