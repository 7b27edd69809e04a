"""Dask's workers do pieces of work: any cluster that it runs on, reached by the address of its scheduler."""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import CancelledError, Executor, Future, wait
from concurrent.futures import TimeoutError as FuturesTimeout
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Any

from lintorch.host.cluster_orders import (
    Answer,
    Order,
    RunTerms,
    begin_run,
    do_order,
    end_run,
)
from lintorch.host.hands import Examined, recall_pieces
from lintorch.host.pieces import Asking, Piece, examine_until_done
from lintorch.host.reports import Report
from lintorch.host.said import Said
from lintorch.host.worker_process import WorkerError
from lintorch.host.worker_task import WorkerTask
from lintorch.record.digests import digest_file
from lintorch.record.framing import Parcel
from lintorch.record.messages import Ending

_AHEAD = 3
"""Orders that are out for each thread of the cluster."""
_SECONDS = 30
"""In which a scheduler answers."""
_ENDED = "each worker of the cluster that took it ended"
_LOOK_SECONDS, _AWAY_SECONDS, _IDLE_SECONDS = 5, 120, 30
"""Between two looks at the workers, how long none may be there, and how long those that are may do nothing."""


@dataclass(frozen=True)
class Cluster:
    """A scheduler of Dask, and what of its workers each piece takes: `{"GPU": 1}`."""

    address: str
    resources: Mapping[str, float]

    def take_on(self, python: str, asking: Asking) -> ClusterHands:
        """Who does the work there."""
        return ClusterHands(self, python, asking)


@dataclass(frozen=True)
class _Out:
    """An order that is out."""

    order: Order
    began: int
    future: Future[Answer]
    alone: bool = False
    """Whether nothing else was out beside it."""


class ClusterHands:
    """Orders go out in order, some ahead of what is taken; what comes back is told as it is here."""

    def __init__(self, cluster: Cluster, python: str, asking: Asking) -> None:
        self._cluster, self._python, self._asking = cluster, python, asking
        self._run = uuid.uuid4().hex
        self._ahead: deque[tuple[Piece, _Out | None]] = deque()
        self._client: Any = None
        self._executor: Executor | None = None

    def __enter__(self) -> ClusterHands:
        """Raises WorkerError where there is no scheduler, no worker, or one that cannot do the work."""
        try:
            from distributed import Client
        except ImportError as error:
            raise WorkerError("dask:// needs distributed: pip install distributed") from error
        address = self._cluster.address
        try:
            make_client: Any = Client
            self._client = make_client(address, timeout=_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise WorkerError(f"no scheduler of Dask answers at {address}: {error}") from error
        self._executor = self._client.get_executor(
            pure=False, resources=dict(self._cluster.resources) or None
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(Exception):  # whatever the cluster has come to
            if self._executor is not None:
                self._executor.shutdown(wait=False)
            self._client.run(end_run, self._run)
        with suppress(Exception):
            self._client.close()

    def examine(self, pieces: Sequence[Piece], covered: Set[str]) -> Examined:
        """The reports on each piece, in order."""
        known = recall_pieces(pieces, covered, self._asking)
        if len(known) < len(pieces):
            self._begin(pieces)
        ahead = self._ahead
        waiting = iter(pieces)
        while True:
            most = self._most() if len(known) < len(pieces) else 1
            while len(ahead) < most and (piece := next(waiting, None)) is not None:
                out = None if piece.place in known else self._order(piece, covered)
                ahead.append((piece, out))
            if not ahead:
                return
            piece, out = ahead.popleft()
            yield piece, self._recall(piece, covered) if out is None else self._tell(piece, out)

    def _recall(self, piece: Piece, covered: Set[str]) -> Iterable[Report]:
        reports = self._asking.recall(piece, covered)
        if reports is None:  # it is gone since
            return self._tell(piece, self._order(piece, covered))
        self._asking.tell_recalled(piece, reports)
        return reports

    def _begin(self, pieces: Sequence[Piece]) -> None:
        """Tell all workers of the run. Raises WorkerError."""
        where, options = self._cluster.address, self._asking.options
        try:
            self._client.wait_for_workers(1, timeout=_SECONDS)
        except TimeoutError as error:
            raise WorkerError(f"the scheduler at {where} has no workers") from error
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        asked = self._cluster.resources
        if not any(_can_give(worker["resources"], asked) for worker in workers.values()):
            told = ", ".join(f"{name}={amount:g}" for name, amount in asked.items())
            raise WorkerError(f"no worker at {where} was started with resources of {told}")
        some = {**_own_files(pieces[0]), **_own_files(pieces[-1])}
        checked = dict(self._asking.checked)
        terms = RunTerms(self._run, self._python, options.artifacts, checked, some)
        try:
            answers = self._client.run(begin_run, terms)
        except Exception as error:  # a worker without lintorch cannot even read what it is asked
            raise WorkerError(f"workers at {where} lack lintorch {terms.version}: {error}") from error  # fmt: skip
        for worker, problem in sorted(answers.items()):
            if problem:
                raise WorkerError(f"{worker} {problem}")

    def _most(self) -> int:
        """Orders that are out at a time."""
        return max(1, _AHEAD * sum(map(int, self._client.nthreads().values())))

    def _order(self, piece: Piece, covered: Set[str]) -> _Out:
        assert self._executor is not None
        if not piece.configured:
            self._asking.lines.begin_file(piece.shown)
        bare = replace(piece, task=replace(piece.task, checked={}))
        order = Order(self._run, bare, frozenset(covered), _own_files(piece))
        return _Out(order, time.time_ns(), self._executor.submit(do_order, order))

    def _tell(self, piece: Piece, out: _Out) -> Iterator[Report]:
        """The reports, as if it had been done here. Raises WorkerError."""
        rounds = self._wait(piece, out)
        self._asking.lines.end_work(piece.shown)
        if isinstance(rounds, str):
            yield Report(None, replace(piece.task.start, cause=rounds), place=piece.place)
            return

        def hear(task: WorkerTask) -> Generator[Parcel, None, Ending]:
            said = next(left)
            self._asking.kept.keep(task, said, out.began)
            return said.tell()

        left = iter(rounds)
        tell = partial(self._asking.lines.begin_work, piece.shown)
        yield from examine_until_done(piece, out.order.covered, 1, hear, tell)

    def _wait(self, piece: Piece, out: _Out) -> tuple[Said, ...] | str:
        """What was told, or why nothing was. Raises WorkerError."""
        from distributed import KilledWorker

        while True:
            try:
                answer = self._result_of(out)
            except CancelledError as error:
                raise WorkerError("the cluster has dropped the work") from error
            except KilledWorker:  # maybe by what was out beside it
                if out.alone:
                    return _ENDED
                wait([each.future for _, each in self._ahead if each is not None])
                out = replace(self._order_again(out), alone=True)
                continue
            if answer is not None and answer.problem:
                raise WorkerError(answer.problem)
            if answer is not None and not answer.unknown:
                return answer.rounds
            self._begin([piece])  # for a worker that came late, or came back
            out = self._order_again(out)

    def _result_of(self, out: _Out) -> Answer | None:
        """None where nobody is at it any more. Raises WorkerError where all workers stay away."""
        away = idle = 0
        while True:
            try:
                return out.future.result(timeout=_LOOK_SECONDS)
            except FuturesTimeout:
                there = bool(self._client.nthreads())
                away = 0 if there else away + 1
                idle = idle + 1 if there and not any(self._client.processing().values()) else 0
            if away * _LOOK_SECONDS >= _AWAY_SECONDS:
                raise WorkerError("all workers of the cluster have gone")
            if idle * _LOOK_SECONDS >= _IDLE_SECONDS:
                return None

    def _order_again(self, out: _Out) -> _Out:
        assert self._executor is not None
        return replace(out, future=self._executor.submit(do_order, out.order))


def read_address(text: str) -> str:
    """`tcp://scheduler:8786` of `dask://scheduler:8786`. Raises ValueError."""
    kind, mark, rest = text.partition("://")
    if kind != "dask" or not mark or not rest.strip("/"):
        raise ValueError(f"{text!r} is no address like dask://scheduler:8786")
    return rest if "://" in rest else f"tcp://{rest}"


def _own_files(piece: Piece) -> Mapping[str, str]:
    """The file of a piece and what stands for its content; none where settings name no file."""
    path = piece.task.arguments.get("path")
    try:
        return {} if path is None else {path: digest_file(path)}
    except OSError:
        return {}  # which its worker says


def _can_give(has: Mapping[str, float], asked: Mapping[str, float]) -> bool:
    return all(has.get(name, 0) >= amount for name, amount in asked.items())
