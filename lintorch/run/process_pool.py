"""Spreads files over processes; the order of results is that of the tasks."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from lintorch.machine.stopping import defer_signals

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.context import BaseContext

T = TypeVar("T")
R = TypeVar("R")

_WORTH_IT = 48
"""Files below which starting processes costs more than it saves."""
_CHUNK = 12
"""Files that a process is given at once, and the fewest that one is started for. Where one file ends
a process, as many for each process are looked at again, one by one: more would take long."""
_START = "fork" if sys.platform == "linux" else "spawn" if sys.version_info >= (3, 11) else ""
"""How processes are started; "" where a new one would import from what is checked."""
_ENDS = 5.0
"""Seconds for a thread whose processes have been killed: it may wait for a full pipe that nobody reads."""
_COLLECTION = (500_000, 5, 10)
"""A parse makes a hundred thousand nodes that all stay: looking for rubbish among them at every
700th, as Python does, takes a third of the time (measured on pytorchcv 0.0.67)."""


def spread_tasks(
    work: Callable[[T], R],
    tasks: Sequence[T],
    jobs: int,
    lost: Callable[[T], R],
    make_ready: Callable[[], None],
) -> Iterator[R]:
    """`work` on every task, in `jobs` processes (0: one per core), results in order.

    `lost` gives the result of a task whose process ends before it is done. `make_ready` is called
    before processes are started: what it loads is loaded once.
    """
    gc.set_threshold(*_COLLECTION)
    wanted = min(jobs or count_cores(), len(tasks) // _CHUNK)
    if wanted < 2 or len(tasks) < _WORTH_IT or not _START:
        yield from map(work, tasks)
        return
    import multiprocessing

    make_ready()
    gc.freeze()
    context = multiprocessing.get_context(_START)
    done = 0
    while done < len(tasks):
        for result in _map_in_pool(work, tasks[done:], wanted, context):
            done += 1
            yield result
        suspects = tasks[done : done + wanted * _CHUNK]
        for task in suspects:
            done += 1
            yield _run_alone(work, task, context, lost)


def _map_in_pool(
    work: Callable[[T], R], tasks: Sequence[T], wanted: int, context: BaseContext
) -> Iterator[R]:
    """The results up to the first one that is missing because a process has ended."""
    from concurrent.futures.process import BrokenProcessPool

    with suppress(BrokenProcessPool), _open_pool(wanted, context) as pool:
        yield from pool.map(work, tasks, chunksize=_CHUNK)


def _run_alone(work: Callable[[T], R], task: T, context: BaseContext, lost: Callable[[T], R]) -> R:
    from concurrent.futures.process import BrokenProcessPool

    try:
        with _open_pool(1, context) as pool:
            return pool.submit(work, task).result()
    except BrokenProcessPool:
        return lost(task)


@contextmanager
def _open_pool(count: int, context: BaseContext) -> Iterator[ProcessPoolExecutor]:
    """Processes that are killed where this one is asked to end before their work is done."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with (
        _safe_path(),
        ProcessPoolExecutor(count, mp_context=context, initializer=_begin_process) as pool,
    ):
        try:
            yield pool
        except BrokenProcessPool:
            raise
        except BaseException:
            with defer_signals():
                for process in multiprocessing.active_children():
                    process.kill()
                pool.shutdown(wait=False, cancel_futures=True)
                _await_threads()
            raise


def _await_threads() -> None:
    """Let the thread of a pool end: while it closes its pipe, Python's own end would write to that."""
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join(_ENDS)


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


def _begin_process() -> None:
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


def count_cores() -> int:
    """The processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
