"""Several workers, each with the next piece of work in hand; results come in the order of the pieces."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from lintorch.host.lasting_worker import LastingWorker
from lintorch.host.worker_process import WorkerError
from lintorch.machine.stopping import defer_signals

T = TypeVar("T")
R = TypeVar("R")


def spread_over_workers(
    work: Callable[[LastingWorker, T], R], tasks: Sequence[T], first: LastingWorker, count: int
) -> Iterator[R]:
    """`work(workers, task)` on every task, by `count` workers, the `first` among them.

    Raises what `work` raises, for the earliest task that does. Leaving early ends all workers
    but the first.
    """
    if count < 2:
        yield from (work(first, task) for task in tasks)
        return
    crew = Crew(first)
    with ThreadPoolExecutor(count) as pool:
        try:
            futures: list[Future[R]] = [pool.submit(crew.do_task, work, task) for task in tasks]
            for future in futures:
                yield future.result()
        except BaseException:
            with defer_signals():
                crew.stop_all()
                pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            with defer_signals():
                crew.dismiss_hired()


class Crew:
    """A worker for each thread."""

    def __init__(self, first: LastingWorker) -> None:
        self._first = first
        self._idle = [first]
        self._hired: list[LastingWorker] = []
        self._stopped = False
        self._lock = threading.Lock()

    def do_task(self, work: Callable[[LastingWorker, T], R], task: T) -> R:
        """One piece of work by whoever is idle."""
        with self._lock:
            if self._stopped:
                raise WorkerError("no more work is wanted")
            workers = self._idle.pop() if self._idle else self._hire_worker()
        try:
            return work(workers, task)
        finally:
            with self._lock:
                self._idle.append(workers)

    def stop_all(self) -> None:
        """End the work in hand: all workers, for good; whoever waits for one is told by its silence."""
        with self._lock:
            self._stopped = True
            everyone = (self._first, *self._hired)
        for workers in everyone:
            workers.halt_worker()

    def dismiss_hired(self) -> None:
        """End those that were hired, once nothing is in hand."""
        for workers in self._hired:
            workers.end_for_good()

    def _hire_worker(self) -> LastingWorker:
        self._hired.append(LastingWorker(self._first.python, self._first.output))
        return self._hired[-1]
