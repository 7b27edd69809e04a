"""The side of a cluster: what its processes are asked to do. User code runs in workers that these start."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Generator, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial

from lintorch import __version__
from lintorch.host.lasting_worker import LastingWorker
from lintorch.host.pieces import Piece, examine_until_done
from lintorch.host.said import Said, hear_and_keep
from lintorch.host.spread_over_workers import Crew
from lintorch.host.worker_process import WorkerError
from lintorch.host.worker_task import WorkerTask
from lintorch.record.digests import digest_file
from lintorch.record.framing import Parcel
from lintorch.record.messages import Ending

_IDLE_SECONDS = 600.0
"""After which workers end of whose run nothing was heard: who began it may have been killed."""


@dataclass(frozen=True)
class Answer:
    """What came of an order: what was told, round by round; else why nothing was.

    It is no exception: Dask's executor waits for ever where a result is lost, and what is done
    again for it raises.
    """

    rounds: tuple[Said, ...] = ()
    problem: str = ""
    unknown: bool = False
    """Whether the process began late, or again, and was not told of the run."""


@dataclass(frozen=True)
class RunTerms:
    """What all orders of a run have in common; `files` are a few that must be there, with digests."""

    run: str
    python: str
    artifacts: str
    checked: Mapping[str, str]
    files: Mapping[str, str]
    version: str = __version__


@dataclass(frozen=True)
class Order:
    """A piece of work, without what the terms say; `covered` are models that are not looked at."""

    run: str
    piece: Piece
    covered: Set[str]
    files: Mapping[str, str]


class _RunCrew:
    """The workers of one run in this process."""

    def __init__(self, terms: RunTerms) -> None:
        self.terms = terms
        self._first = LastingWorker(terms.python, terms.artifacts, at_once=False)
        self.crew = Crew(self._first)
        self._timer: threading.Timer | None = None

    def put_off_end(self) -> None:
        """End when nothing more is heard for long."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(_IDLE_SECONDS, end_run, (self.terms.run,))
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """End all workers."""
        if self._timer is not None:
            self._timer.cancel()
        self.crew.stop_all()
        self.crew.dismiss_hired()
        self._first.end_for_good()


_runs: dict[str, _RunCrew] = {}
_lock = threading.Lock()


def begin_run(terms: RunTerms) -> str:
    """Take orders of a run from now on; why that cannot be, "" where it can."""
    if terms.version != __version__:
        return f"has lintorch {__version__}, and not {terms.version}"
    if not os.access(terms.python, os.X_OK):
        return f"has no interpreter {terms.python}; --python names another"
    if terms.artifacts and not os.path.isdir(terms.artifacts):
        return f"has no folder {terms.artifacts}: --output has to be a folder that all share"
    if problem := _miss_files(terms.files):
        return problem
    with _lock:
        if terms.run not in _runs:
            _runs[terms.run] = _RunCrew(terms)
    _runs[terms.run].put_off_end()
    return ""


def end_run(run: str) -> None:
    """End the workers of a run in this process."""
    with _lock:
        crew = _runs.pop(run, None)
    if crew is not None:
        crew.end()


def do_order(order: Order) -> Answer:
    """What is told of a piece."""
    run = _runs.get(order.run)
    if run is None:
        return Answer(unknown=True)
    if problem := _miss_files(order.files):
        return Answer(problem=f"a worker of the cluster {problem}")
    run.put_off_end()
    task = replace(order.piece.task, checked=run.terms.checked)
    piece = replace(order.piece, task=task)
    try:
        return Answer(run.crew.do_task(partial(_do_piece, piece), order.covered))
    except WorkerError as error:
        return Answer(problem=str(error))


def _do_piece(piece: Piece, workers: LastingWorker, covered: Set[str]) -> tuple[Said, ...]:
    rounds: list[Said] = []

    def hear(task: WorkerTask) -> Generator[Parcel, None, Ending]:
        return hear_and_keep(workers, task, rounds.append)

    deque(examine_until_done(piece, covered, 1, hear, lambda line: None), maxlen=0)
    return tuple(rounds)


def _miss_files(files: Mapping[str, str]) -> str:
    """Which file is not here as it is where the run began."""
    where = "the project has to be at the same path on all workers, as in a folder that they share"
    for path, digest in files.items():
        try:
            if digest_file(path) != digest:
                return f"has another text in {path}: {where}"
        except OSError as error:
            return f"cannot read {path} ({error.strerror}): {where}"
    return ""
