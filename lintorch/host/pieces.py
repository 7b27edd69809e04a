"""Pieces of work, one for each file or model that settings describe, and what is told of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lintorch.host.lasting_worker import LastingWorker
from lintorch.host.progress_lines import ProgressLines
from lintorch.host.reports import Report
from lintorch.host.said import KeptWork, hear_and_keep
from lintorch.host.worker_task import (
    WorkerTask,
    make_configured_task,
    make_file_task,
    read_reports,
)
from lintorch.record.framing import Parcel
from lintorch.record.messages import Ending
from lintorch.record.model_options import ModelOptions
from lintorch.record.models import Failure
from lintorch.record.work_bounds import MOST_MODELS

Hear = Callable[[WorkerTask], Generator[Parcel, None, Ending]]
"""Does a piece of work, and tells of it as it comes."""


@dataclass(frozen=True)
class Piece:
    """A file, or a model that settings describe; `shown` is what progress calls it."""

    shown: str
    place: int
    task: WorkerTask

    @property
    def configured(self) -> bool:
        """Whether settings describe it."""
        return self.task.configured

    def ask(self, covered: Set[str], processes: int) -> WorkerTask:
        """The work, without models that are `covered`."""
        options = replace(self.task.options, processes=processes)
        arguments = self.task.arguments
        if not self.configured:
            arguments = {**arguments, "passed": sorted(covered)}
        return replace(self.task, arguments=arguments, options=options)


@dataclass(frozen=True)
class Asking:
    """What all pieces of one run have in common."""

    checked: Mapping[str, str]
    options: ModelOptions
    modules: Mapping[str, str]
    lines: ProgressLines
    kept: KeptWork

    def configured(self, name: str, setting: Mapping[str, Any], place: int) -> Piece:
        """A model that the table of this name describes."""
        task = make_configured_task(name, setting, self.checked, self.options, self.modules)
        return Piece(name, place, task)

    def of_file(self, path: str, place: int) -> Piece:
        """The models of the file with this real path."""
        task = make_file_task(path, (), self.checked, self.options, self.modules)
        return Piece(self.checked[path], place, task)

    def recall(
        self, piece: Piece, covered: Set[str], whole: bool = True
    ) -> tuple[Report, ...] | None:
        """What was told of it in an earlier run; None where that is not known."""
        task = piece.ask(covered, 1)
        said = self.kept.find(task, whole)
        return None if said is None else tuple(read_reports(task, said.tell(), lambda line: None))

    def tell_recalled(self, piece: Piece, reports: Iterable[Report]) -> None:
        """Count models of an earlier run among those that are done."""
        if not piece.configured:
            self.lines.begin_file(piece.shown)
        for report in reports:
            told = report.failure or report.model
            if told is not None:
                self.lines.begin_work(piece.shown, f"{piece.shown}:{told.qualname}")
        self.lines.end_work(piece.shown)

    def do_here(
        self, workers: LastingWorker, piece: Piece, covered: Set[str], processes: int
    ) -> list[Report]:
        """Have it done by a worker of this machine, which tells of it as it comes."""
        if not piece.configured:
            self.lines.begin_file(piece.shown)
        tell = partial(self.lines.begin_work, piece.shown)

        def hear(task: WorkerTask) -> Generator[Parcel, None, Ending]:
            keep = partial(self.kept.keep, task, began=time.time_ns())
            return hear_and_keep(workers, task, keep)

        reports = [*examine_until_done(piece, covered, processes, hear, tell)]
        self.lines.end_work(piece.shown)
        return reports


def examine_until_done(
    piece: Piece, covered: Set[str], processes: int, hear: Hear, tell: Callable[[str], None]
) -> Iterator[Report]:
    """Reports on a piece; asked for again as long as a model of a file takes the process down with it."""
    known = set(covered)
    for _ in range(1 if piece.configured else MOST_MODELS + 1):
        task = piece.ask(known, processes)
        stopped: Failure | None = None
        for report in note_covered(read_reports(task, hear(task), tell), known, piece.place):
            yield report
            stopped = report.failure
        if stopped is None or stopped.stage != "stopped" or not stopped.qualname:
            break


def leave_out_covered(reports: Iterable[Report], covered: Set[str]) -> Iterator[Report]:
    """Without models that an earlier file's turned out to contain while this one was looked at."""
    for report in reports:
        told = report.failure or report.model
        if told is None or not told.qualname or f"{told.path}:{told.qualname}" not in covered:
            yield report


def note_covered(reports: Iterable[Report], covered: set[str], place: int) -> Iterator[Report]:
    """The same reports, with their place; what they cover is not found again."""
    for report in reports:
        if report.failure:
            covered.add(f"{report.failure.path}:{report.failure.qualname}")
        if report.model:
            covered.add(f"{report.model.path}:{report.model.qualname}")
            if not report.failure:
                covered.update(report.model.contains)
        yield replace(report, place=place)
