"""The process above a worker: it ends all that runs below when the worker, or who waits for it, is gone."""

from __future__ import annotations

import os
import select
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress

from lintorch.machine import process_tree

_REQUESTS = 0
"""The pipe that only the process which started this one writes to."""
_GONE = select.POLLHUP | select.POLLERR | select.POLLNVAL if hasattr(select, "poll") else 0


def guard_worker(folders: Sequence[str]) -> None:
    """Fork, and return in the child, which is to work. The parent waits; it never returns.

    When nobody holds the other end of standard input any more, nothing below goes on, and the
    `folders` are removed.
    """
    if not hasattr(os, "fork"):
        return
    process_tree.adopt_orphans()
    own, woken = os.getpid(), _wakened_by_children()
    worker = os.fork()
    if worker == 0:
        os.close(signal.set_wakeup_fd(-1))
        os.close(woken)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        process_tree.die_with(own)
        return
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)  # that the worker has ended is seen by the end of what it writes
        abandoned = _wait_for_end(worker, woken)
        process_tree.kill_below(own)
        for folder in folders if abandoned else ():
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os._exit(0)


def _wakened_by_children() -> int:
    """A descriptor that can be read when a child has ended."""
    reading, writing = os.pipe()
    for descriptor in (reading, writing):
        os.set_blocking(descriptor, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing)
    return reading


def _wait_for_end(worker: int, woken: int) -> bool:
    """Wait for the worker's end, or for that of who waits for it: whether it was this."""
    poll = select.poll()
    poll.register(_REQUESTS, 0)
    poll.register(woken, select.POLLIN)
    while True:
        events = dict(poll.poll())
        if events.get(_REQUESTS, 0) & _GONE:
            return True
        with suppress(BlockingIOError):
            os.read(woken, 4096)
        if worker in _reap_ended():
            return False


def _reap_ended() -> list[int]:
    """Children that have ended; adopted ones too."""
    ended = []
    with suppress(ChildProcessError):
        while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            ended.append(pid)
    return ended
