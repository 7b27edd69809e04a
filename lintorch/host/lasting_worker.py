"""A worker that is always there: another takes the place of one that user code has killed."""

from __future__ import annotations

import threading

from lintorch.host.worker_process import Worker, WorkerError


class LastingWorker:
    """The worker in use; another one where user code has killed it, until it is closed."""

    def __init__(self, python: str, output: str = "", *, at_once: bool = True) -> None:
        """Not `at_once`, the first worker starts with the first work."""
        self.python, self.output = python, output
        self.has_started = False
        self._at_once = at_once
        self._worker: Worker | None = None
        self._closed = False
        self._lock = threading.Lock()

    def __enter__(self) -> LastingWorker:
        if self._at_once:
            self.get_worker()
        return self

    def __exit__(self, *error: object) -> None:
        self.end_for_good()

    def get_worker(self) -> Worker:
        """A worker that lives. Raises WorkerError."""
        with self._lock:
            if self._closed:
                raise WorkerError("no more work is wanted")
            if self._worker is None:
                self._worker = Worker(self.python, self.output)  # known, so that it can be halted
                try:
                    self._worker.__enter__()
                except BaseException:
                    self._worker = None
                    raise
                self.has_started = True
            if self._closed:
                raise WorkerError("no more work is wanted")
            return self._worker

    def drop_worker(self) -> None:
        """End the worker in use."""
        with self._lock:
            if self._worker is not None:
                self._worker.end_worker()
                self._worker = None

    def halt_worker(self) -> None:
        """Kill the worker in use, and have no other; who reads from it closes it."""
        self._closed = True
        if (worker := self._worker) is not None:
            worker.kill_worker()

    def end_for_good(self) -> None:
        """End the worker in use, and have no other; from any thread."""
        self._closed = True
        self.drop_worker()
