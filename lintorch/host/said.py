"""What a worker told of a piece of work, whole: so that it can be kept, sent on and told again."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Protocol

from lintorch.host.lasting_worker import LastingWorker
from lintorch.host.worker_task import WorkerTask, hear_task
from lintorch.record.framing import Parcel
from lintorch.record.messages import Ending


@dataclass(frozen=True)
class Said:
    """All that was told of one piece of work, and how it ended."""

    parcels: tuple[Parcel, ...]
    ending: Ending

    def tell(self) -> Generator[Parcel, None, Ending]:
        """The same as a worker tells it."""
        yield from self.parcels
        return self.ending


class KeptWork(Protocol):
    """What was told in earlier runs, while nothing that it depends on has changed."""

    def find(self, task: WorkerTask, whole: bool = True) -> Said | None:
        """What was told of this piece of work, maybe without files that were made; None where that is not known."""

    def keep(self, task: WorkerTask, said: Said, began: int) -> None:
        """Keep what was told; the work `began` at that time, in nanoseconds."""


class NothingKept:
    """No earlier runs."""

    def find(self, task: WorkerTask, whole: bool = True) -> Said | None:
        """Nothing is known."""
        return None

    def keep(self, task: WorkerTask, said: Said, began: int) -> None:
        """Nothing is kept."""


def hear_and_keep(
    workers: LastingWorker, task: WorkerTask, keep: Callable[[Said], None]
) -> Generator[Parcel, None, Ending]:
    """What the worker tells, as it comes; all of it is kept at the end."""
    parcels: list[Parcel] = []
    told = hear_task(workers, task)
    while True:
        try:
            parcel = next(told)
        except StopIteration as stop:
            ending: Ending = stop.value
            keep(Said(tuple(parcels), ending))
            return ending
        parcels.append(parcel)
        yield parcel
