"""A worker that is always there: another takes the place of one that user code has killed."""

from __future__ import annotations

from lintorch.worker.client import Worker


class Workers:
    """The worker in use; another one where user code has killed it."""

    def __init__(self, python: str) -> None:
        self._python = python
        self._worker: Worker | None = None

    def __enter__(self) -> Workers:
        self.worker()
        return self

    def __exit__(self, *error: object) -> None:
        self.drop()

    def worker(self) -> Worker:
        """A worker that lives. Raises WorkerError."""
        if self._worker is None:
            self._worker = Worker(self._python).__enter__()
        return self._worker

    def drop(self) -> None:
        """End the worker in use."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None
