"""Finds, builds, runs and exports the models of checked files, in a worker process. Imports no torch."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Set
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from lintorch.host.client import Worker, WorkerError
from lintorch.host.configured_models import is_wanted, key
from lintorch.host.crew import abreast
from lintorch.host.file_order import ordered
from lintorch.host.lasting_worker import Workers
from lintorch.host.reports import Message, Report, Telling
from lintorch.host.vouching import Asked
from lintorch.machine.free_memory import at_once
from lintorch.record.allowance import MOST_MODELS, Allowance
from lintorch.record.bounds import Bounds
from lintorch.record.trace import Failure
from lintorch.record.user_files import user_files_of

__all__ = ["Limits", "Plan", "Report", "examine"]
_TRACERS = ("torch._dynamo", "torch.export._trace", "torch.fx.experimental.symbolic_shapes")
"""What torch.export loads when it is first called: slow, so loaded once for all models."""


@dataclass(frozen=True)
class Limits:
    """Seconds for building, feeding and running a model; seconds per trial export; bytes of memory and of disk."""

    seconds: float = 60
    trial_seconds: float = 120
    memory: int = 8 * 2**30
    disk: int = 16 * 2**30


@dataclass(frozen=True)
class Plan:
    """What to examine and how.

    `configured` holds the tables `[tool.lintorch.models.NAME]`. Without `trace` and `exporters`
    models are only found, built and fed. `opsets` are those asked of exporters of ONNX. `in_training` holds (model as "file.py:Class", exporter)
    where the project exports that model in training mode: it is tried so as well. `python` is the interpreter whose torch is used.
    Runs are traced as graphs too, unless not `graphs`. Up to `jobs` files are looked at side by side, else as many exports of a model. What they write is kept below the folder
    `artifacts`, if one is given; `scripts` asks for programs that show what went wrong.
    """

    files: tuple[str, ...]
    project: str = "."
    configured: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    trace: bool = True
    exporters: tuple[str, ...] = ()
    in_training: tuple[tuple[str, str], ...] = ()
    opsets: Mapping[str, int] = field(default_factory=dict)
    python: str = sys.executable
    why_python: str = ""
    """A word on why it is that interpreter."""
    limits: Limits = Limits()
    jobs: int = 1
    artifacts: str = ""
    graphs: bool = True
    scripts: bool = False
    dynamic: bool = True
    """Whether exports leave sizes open; else each is made, and compared, at the first sizes alone."""


def examine(
    plan: Plan, progress: Callable[[str], None] = lambda line: None
) -> Generator[Report, None, None]:
    """One report per model that was found; `progress` gets a line when work on something begins.

    Models that are parts of another that ran are not reported. Raises WorkerError where no
    worker can be had: no torch, no such interpreter.
    """
    checked = {os.path.realpath(path): path for path in plan.files}
    covered: set[str] = set()
    with Workers(plan.python, plan.artifacts) as workers:
        for name, setting in plan.configured.items():
            if is_wanted(setting, checked, plan.project):
                covered.add(key(setting, checked, plan.project))
                arguments = {"name": name, "setting": dict(setting)}
                where = str(setting["factory"]).partition(":")[0]
                start = Failure(where, name, 1, "stopped", "")
                request = _Request("configured", arguments, start, plan, checked)
                yield from _covering(_reports(workers, request, progress), covered)
        count = at_once(plan.jobs, plan.limits.memory, len(checked))
        one = replace(plan, jobs=max(1, plan.jobs // count))

        def file(workers: Workers, path: str) -> list[Report]:
            return list(_file(workers, path, one, checked, set(covered), progress))

        for reports in abreast(file, ordered(checked), workers, count):
            yield from _covering(_uncovered(reports, covered), covered)


def _file(
    workers: Workers,
    path: str,
    plan: Plan,
    checked: Mapping[str, str],
    covered: set[str],
    progress: Callable[[str], None],
) -> Iterator[Report]:
    """Reports on one file; asked for again as long as a model takes the process down with it."""
    start = Failure(checked[path], "", 1, "stopped", "")
    for _ in range(MOST_MODELS + 1):
        arguments = {"path": path, "passed": sorted(covered)}
        request = _Request("visit", arguments, start, plan, checked)
        stopped: Failure | None = None
        for report in _covering(_reports(workers, request, progress), covered):
            yield report
            stopped = report.failure
        if stopped is None or stopped.stage != "stopped" or not stopped.qualname:
            break


def _uncovered(reports: Iterable[Report], covered: Set[str]) -> Iterator[Report]:
    """Without models that an earlier file's turned out to contain while this one was looked at."""
    for report in reports:
        told = report.failure or report.model
        if told is None or not told.qualname or f"{told.path}:{told.qualname}" not in covered:
            yield report


def _covering(reports: Iterator[Report], covered: set[str]) -> Iterator[Report]:
    """The same reports; what they cover is not found again."""
    for report in reports:
        if report.failure:
            covered.add(f"{report.failure.path}:{report.failure.qualname}")
        if report.model:
            covered.add(f"{report.model.path}:{report.model.qualname}")
            if not report.failure:
                covered.update(report.model.contains)
        yield report


@dataclass(frozen=True)
class _Request:
    """A piece of work for the worker; `start` is the failure of what is in hand before any model is."""

    work: str
    arguments: Mapping[str, Any]
    start: Failure
    plan: Plan
    checked: Mapping[str, str]

    def send(self, worker: Worker) -> Generator[Message, None, Message]:
        """What the worker sends; its ending."""
        plan = self.plan
        options = {
            **asdict(self.allowance),
            "trace": plan.trace,
            "exporters": list(plan.exporters),
            "in_training": [list(pair) for pair in plan.in_training],
            "opsets": dict(plan.opsets),
            "artifacts": plan.artifacts,
            "project": self.project,
            "graphs": plan.graphs,
            "scripts": plan.scripts,
            "dynamic": plan.dynamic,
        }
        arguments = {
            **self.arguments,
            "checked": dict(self.checked),
            "project": self.project,
            "options": options,
        }
        imports = _TRACERS if plan.trace or plan.exporters else ()
        work = f"lintorch.guest.examine_file:{self.work}"
        return (yield from worker.do(work, arguments, self.bounds, imports))

    @property
    def project(self) -> str:
        """The folder that the models are run for."""
        return os.path.realpath(self.plan.project)

    @property
    def allowance(self) -> Allowance:
        """What each model may take."""
        limits, trials = self.plan.limits, 2 * len(self.plan.exporters)
        return Allowance(
            limits.seconds, limits.trial_seconds, limits.memory, limits.disk, trials, self.plan.jobs
        )

    @property
    def bounds(self) -> Bounds:
        """What all of the work may take, and tell."""
        return self.allowance.of_file(self._models)

    @property
    def asked(self) -> Asked:
        """What the worker may tell of."""
        files = user_files_of(self.checked, self.project)
        configured = self.work == "configured"
        plan = self.plan
        return Asked(self.start, files, self._models, configured, plan.exporters, plan.artifacts)

    @property
    def _models(self) -> int:
        return 1 if self.work == "configured" else MOST_MODELS + 1


def _reports(
    workers: Workers, request: _Request, progress: Callable[[str], None]
) -> Iterator[Report]:
    """One report for each model that the worker tells of, and one for what stopped it."""
    telling = Telling(request.asked, progress)
    try:
        sending = request.send(workers.worker())
        while True:
            try:
                message = next(sending)
            except StopIteration as stop:
                ending = stop.value
                break
            yield from telling.take(message)
    except WorkerError as error:  # user code has killed the worker
        workers.drop()
        ending = {"cause": f"it ended the worker process ({error})", "output": ""}
    if ending["cause"]:
        yield from telling.end(ending["cause"], ending["output"])
