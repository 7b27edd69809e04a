"""Spreads files over processes; the order of results is that of the tasks."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from lintorch.stopping import unbroken

T = TypeVar("T")
R = TypeVar("R")

_WORTH_IT = 48
"""Files below which starting processes costs more than it saves."""
_CHUNK = 12
_START = "fork" if sys.platform == "linux" else "spawn" if sys.version_info >= (3, 11) else ""
"""How processes are started; "" where a new one would import from what is checked."""
_COLLECTION = (100_000, 10, 10)
"""A parse makes a hundred thousand nodes that all stay: looking for rubbish among them at every
700th, as Python does, takes a third of the time (measured on pytorchcv 0.0.67)."""


def spread(
    work: Callable[[T], R], tasks: Sequence[T], jobs: int, make_ready: Callable[[], None]
) -> Iterator[R]:
    """`work` on every task, in `jobs` processes (0: one per core), results in order.

    `make_ready` is called before processes are started: what it loads is loaded once.
    """
    gc.set_threshold(*_COLLECTION)
    wanted = min(jobs or cores(), len(tasks) // _CHUNK)
    if wanted < 2 or len(tasks) < _WORTH_IT or not _START:
        yield from map(work, tasks)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    make_ready()
    gc.freeze()
    context = multiprocessing.get_context(_START)
    with _safe_path(), ProcessPoolExecutor(wanted, mp_context=context, initializer=_begin) as pool:
        try:
            yield from pool.map(work, tasks, chunksize=_CHUNK)
        except BaseException:
            with unbroken():
                for process in multiprocessing.active_children():
                    process.kill()
                pool.shutdown(wait=False, cancel_futures=True)
            raise


@contextmanager
def _safe_path() -> Iterator[None]:
    """Processes that are spawned import nothing from the working directory, where strangers' files lie."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTHONSAFEPATH"]
        os.environ |= {} if before is None else {"PYTHONSAFEPATH": before}


def _begin() -> None:
    """In a process of the pool: leave it to the first one to hear interrupts, and end when it ends."""
    import multiprocessing
    from multiprocessing.connection import wait

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def cores() -> int:
    """The processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
