"""Finds, builds, runs and exports the models of checked files, in a worker process. Imports no torch."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from lintorch.models.configured import is_wanted, key
from lintorch.models.order import ordered
from lintorch.trace import wire
from lintorch.trace.record import Failure, Model, Outcome, Run, Rung
from lintorch.trace.symbols import traced_to_sizes
from lintorch.worker.client import Worker, WorkerError
from lintorch.worker.crew import abreast
from lintorch.worker.room import at_once
from lintorch.worker.workers import Workers

Message = dict[str, Any]
_TRACERS = ("torch._dynamo", "torch.export._trace", "torch.fx.experimental.symbolic_shapes")
"""What torch.export loads when it is first called: slow, so loaded once for all models."""
_SLACK = 2 * 2**30
"""Bytes that the process which loads a file may hold beyond what the model in its child may."""


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


@dataclass(frozen=True)
class Report:
    """What became of one model, or of a file that could not be imported."""

    model: Model | None
    failure: Failure | None
    runs: tuple[Run, ...] = ()
    rungs: tuple[Rung, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


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
                start = Failure(str(setting["factory"]), name, 1, "stopped", "")
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
    broken = True
    while broken:
        broken = False
        arguments = {"path": path, "passed": sorted(covered)}
        request = _Request("visit", arguments, start, plan, checked)
        for report in _covering(_reports(workers, request, progress), covered):
            yield report
            failure = report.failure
            broken = bool(failure and failure.stage == "stopped" and failure.qualname)


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

    def send(self, worker: Worker) -> Iterator[Message]:
        """What the worker sends, its ending last."""
        plan, limits = self.plan, self.plan.limits
        options = {
            "seconds": limits.seconds,
            "trial_seconds": limits.trial_seconds,
            "memory": limits.memory,
            "trace": plan.trace,
            "exporters": list(plan.exporters),
            "in_training": [list(pair) for pair in plan.in_training],
            "opsets": dict(plan.opsets),
            "jobs": plan.jobs,
            "artifacts": plan.artifacts,
            "project": os.path.realpath(plan.project),
            "graphs": plan.graphs,
            "scripts": plan.scripts,
            "dynamic": plan.dynamic,
        }
        arguments = {
            **self.arguments,
            "checked": dict(self.checked),
            "project": os.path.realpath(plan.project),
            "options": options,
        }
        imports = _TRACERS if plan.trace or plan.exporters else ()
        work = f"lintorch.models.visit:{self.work}"
        ending = yield from worker.do(
            work,
            arguments,
            limits.seconds,
            limits.memory + _SLACK,
            imports,
            limits.memory * plan.jobs + _SLACK,
            limits.disk,
        )
        yield {"ending": ending}


def _reports(
    workers: Workers, request: _Request, progress: Callable[[str], None]
) -> Iterator[Report]:
    """One report for each model that the worker tells of, and one for what stopped it."""
    told: list[Message] = []
    current = request.start
    ending: Message = {"cause": "", "output": ""}
    try:
        for message in request.send(workers.worker()):
            if "begin" in message:
                progress(message["begin"])
                path, _, name = message["begin"].partition(" → ")[0].rpartition(":")
                current = Failure(path, name, 1, "stopped", "")
            elif "done" in message:
                if told:
                    yield _report(told)
                told, current = [], request.start
            elif "ending" in message:
                ending = message["ending"]
            else:
                told.append(message)
    except WorkerError as error:  # user code has killed the worker
        workers.drop()
        ending = {"cause": f"it ended the worker process ({error})", "output": ""}
    if ending["cause"] and not (current is request.start and not told and request.work != "visit"):
        stopped = Failure(
            current.path,
            current.qualname,
            current.row,
            "stopped",
            ending["cause"],
            ending["output"],
        )
        yield _report([*told, {"failure": wire.packed(stopped)}])


def _report(told: list[Message]) -> Report:
    model = next((wire.model(m["model"]) for m in told if "model" in m), None)
    failure = next((wire.failure(m["failure"]) for m in told if "failure" in m), None)
    runs = [wire.run(m["run"]) for m in told if "run" in m]
    facts = tuple(wire.event(m["fact"]) for m in told if "fact" in m)
    if facts:
        runs[0] = replace(runs[0], events=(*runs[0].events, *facts))
    return Report(
        model,
        failure,
        traced_to_sizes(runs),
        tuple(wire.rung(m["rung"]) for m in told if "rung" in m),
        tuple(wire.outcome(m["outcome"]) for m in told if "outcome" in m),
    )
