"""Who does pieces of work: the workers of this machine, or others."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol

from lintorch.host.lasting_worker import LastingWorker
from lintorch.host.pieces import Asking, Piece, leave_out_covered, note_covered
from lintorch.host.reports import Report
from lintorch.host.spread_over_workers import spread_over_workers
from lintorch.machine.free_memory import count_fitting

Examined = Iterator[tuple[Piece, Iterable[Report]]]


class Hands(AbstractContextManager["Hands"], Protocol):
    """Does pieces of work; leaving it ends all that is in hand."""

    def examine(self, pieces: Sequence[Piece], covered: Set[str]) -> Examined:
        """The reports on each piece, in order; `covered` grows as they are taken."""


class OwnHands:
    """The workers of this machine: one for each file, as many as there is memory for."""

    def __init__(self, python: str, asking: Asking) -> None:
        self._asking = asking
        kept = asking.options.reads
        self._workers = LastingWorker(python, asking.options.artifacts, at_once=not kept)

    def __enter__(self) -> OwnHands:
        self._workers.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._workers.end_for_good()

    def examine(self, pieces: Sequence[Piece], covered: Set[str]) -> Examined:
        """Models of settings one after the other, then files side by side."""
        known = recall_pieces(pieces, covered, self._asking)
        options = self._asking.options
        for piece in (each for each in pieces if each.configured):
            told = self._recall(piece, covered, known)
            yield piece, told or self._do(piece, covered, options.processes)
        files = [each for each in pieces if not each.configured]
        left = [each for each in files if each.place not in known]
        count = count_fitting(options.processes, options.limits.memory, len(left) or 1)
        each_has = max(1, options.processes // count)
        work = lambda workers, piece: self._asking.do_here(workers, piece, set(covered), each_has)  # noqa: E731
        found = spread_over_workers(work, left, self._workers, count)
        for piece in files:
            if piece.place not in known:
                yield piece, next(found)
                continue
            again = self._recall(piece, covered, known)
            yield piece, again if again is not None else self._do(piece, covered, each_has)

    def _do(self, piece: Piece, covered: Set[str], processes: int) -> list[Report]:
        return self._asking.do_here(self._workers, piece, set(covered), processes)

    def _recall(
        self, piece: Piece, covered: Set[str], known: Set[int]
    ) -> tuple[Report, ...] | None:
        reports = self._asking.recall(piece, covered) if piece.place in known else None
        if reports is not None:
            self._asking.tell_recalled(piece, reports)
        return reports


def recall_pieces(pieces: Iterable[Piece], covered: Set[str], asking: Asking) -> Set[int]:
    """The places of those that earlier runs tell of, if all before them end as they did there."""
    covers, known = set(covered), set[int]()
    for piece in pieces if asking.options.reads else ():
        reports = asking.recall(piece, covers, whole=False)
        if reports is not None:
            known.add(piece.place)
            left = reports if piece.configured else leave_out_covered(reports, covers)
            deque(note_covered(left, covers, piece.place), maxlen=0)
    return known
