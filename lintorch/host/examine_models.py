"""Finds, builds, runs and exports the models of checked files, in worker processes. Imports no torch."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Any

from lintorch.host.configured_models import inferred_name, is_wanted
from lintorch.host.file_order import order_files
from lintorch.host.lasting_worker import LastingWorker
from lintorch.host.progress_lines import ProgressLines
from lintorch.host.reports import Report
from lintorch.host.spread_over_workers import spread_over_workers
from lintorch.host.worker_task import (
    WorkerTask,
    make_configured_task,
    make_file_task,
    run_task,
)
from lintorch.machine.free_memory import count_fitting
from lintorch.record.model_options import ModelOptions
from lintorch.record.models import Failure
from lintorch.record.shard import WHOLE, Shard
from lintorch.record.work_bounds import MOST_MODELS

_NONE: Mapping[str, Mapping[str, Any]] = {}
_NO_MODULES: Mapping[str, str] = {}


def examine_models(
    files: Iterable[str],
    options: ModelOptions,
    configured: Mapping[str, Mapping[str, Any]] = _NONE,
    python: str = sys.executable,
    progress: Callable[[str], None] = lambda line: None,
    modules: Mapping[str, str] = _NO_MODULES,
    shard: Shard = WHOLE,
) -> Generator[Report, None, None]:
    """One report per model that was found; `progress` gets a line when work begins or ends.

    `configured` holds the tables `[tool.lintorch.models.NAME]`; `python` is the interpreter whose
    torch is used; `modules` holds the texts of the modules of notebooks, by their real paths.
    Of tables and then files, in the order in which they are looked at, those of the `shard` are;
    reports have their places. Models that are parts of another that ran are not reported. Raises WorkerError where no worker
    can be had: no torch, no such interpreter.
    """
    checked = {os.path.realpath(path): path for path in files}
    covered: set[str] = set()
    progress(f"starting {python}, which imports torch")
    lines = ProgressLines(progress, len(checked))
    with LastingWorker(python, options.artifacts) as workers:
        for number, (name, setting) in enumerate(configured.items()):
            file = str(setting["factory"]).partition(":")[0]
            if options.wants_model(file, name) and is_wanted(setting, checked, options.project):
                covered.add(inferred_name(setting, checked, options.project))
                if not shard.takes(number):
                    continue
                task = make_configured_task(name, setting, checked, options, modules)
                tell = partial(lines.begin_work, name)
                told = run_task(workers, task, tell)
                yield from (replace(r, place=number) for r in _note_covered(told, covered))
                lines.end_work(name)
        count = count_fitting(options.processes, options.limits.memory, len(checked))
        one = replace(options, processes=max(1, options.processes // count))

        def examine_file(workers: LastingWorker, path: str) -> list[Report]:
            lines.begin_file(checked[path])
            tell = partial(lines.begin_work, checked[path])
            task = partial(make_file_task, path, checked=checked, options=one, modules=modules)
            found = list(_examine_until_done(workers, task, set(covered), tell))
            lines.end_work(checked[path])
            return found

        places = enumerate(order_files(checked, modules), len(configured))
        own = {path: place for place, path in places if shard.takes(place)}
        found = spread_over_workers(examine_file, [*own], workers, count)
        for place, reports in zip(own.values(), found, strict=True):
            left = _note_covered(_leave_out_covered(reports, covered), covered)
            yield from (replace(report, place=place) for report in left)


def _examine_until_done(
    workers: LastingWorker,
    make_task: Callable[[Set[str]], WorkerTask],
    covered: set[str],
    progress: Callable[[str], None],
) -> Iterator[Report]:
    """Reports on one file; asked for again as long as a model takes the process down with it."""
    for _ in range(MOST_MODELS + 1):
        task = make_task(covered)
        stopped: Failure | None = None
        for report in _note_covered(run_task(workers, task, progress), covered):
            yield report
            stopped = report.failure
        if stopped is None or stopped.stage != "stopped" or not stopped.qualname:
            break


def _leave_out_covered(reports: Iterable[Report], covered: Set[str]) -> Iterator[Report]:
    """Without models that an earlier file's turned out to contain while this one was looked at."""
    for report in reports:
        told = report.failure or report.model
        if told is None or not told.qualname or f"{told.path}:{told.qualname}" not in covered:
            yield report


def _note_covered(reports: Iterator[Report], covered: set[str]) -> Iterator[Report]:
    """The same reports; what they cover is not found again."""
    for report in reports:
        if report.failure:
            covered.add(f"{report.failure.path}:{report.failure.qualname}")
        if report.model:
            covered.add(f"{report.model.path}:{report.model.qualname}")
            if not report.failure:
                covered.update(report.model.contains)
        yield report
