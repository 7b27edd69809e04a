"""From what a worker tells to reports. Imports no torch.

Code that is not ours runs in the processes that tell it, so nothing is taken as it comes: every
value is of the type that the record says, speaks of the model that is asked about, and names no
line outside of the user's files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lintorch.models.notation import told as shown
from lintorch.trace import wire
from lintorch.trace.record import Event, Failure, Model, Outcome, Run, Rung, Site
from lintorch.trace.site import Files
from lintorch.trace.symbols import traced_to_sizes
from lintorch.trace.wire import MalformedError

Message = dict[str, Any]
_STAGES = ("import", "build", "inputs", "run", "stopped")
_STATUSES = ("ok", "wrong", "failed", "unavailable", "random")
_RUNGS = ("fx", "torch.export")
_MOST_LETTERS = 8192


@dataclass(frozen=True)
class Report:
    """What became of one model, or of a file that could not be imported."""

    model: Model | None
    failure: Failure | None
    runs: tuple[Run, ...] = ()
    rungs: tuple[Rung, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True)
class Asked:
    """What a worker was asked about: what it tells of anything else is refused.

    `start` is the failure of what is in hand before any model is. What is `configured` may turn
    out to be in another file than its factory. Exported files lie below the folder `artifacts`.
    """

    start: Failure
    files: Files
    models: int
    configured: bool = False
    exporters: tuple[str, ...] = ()
    artifacts: str = ""


@dataclass
class _Told:
    """What was told of one model so far, and what was wrong with it."""

    current: Failure
    model: Model | None = None
    failure: Failure | None = None
    runs: list[Run] = field(default_factory=list)
    facts: list[Event] = field(default_factory=list)
    rungs: list[Rung] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    improper: str = ""

    def reports(self, ending: str = "", output: str = "") -> Iterator[Report]:
        """The report on the model, if anything was told; `ending` says that it was stopped."""
        cause = ending or (self.improper and f"its process told what no run tells: {self.improper}")
        stopped = replace(self.current, cause=cause, output=output) if cause else None
        if self.improper:
            yield Report(None, stopped)
            return
        self.failure = self.failure or stopped
        if self.model is not None or self.failure is not None:
            yield self._whole()

    def _whole(self) -> Report:
        runs = self.runs
        if runs and self.facts:
            runs = [replace(runs[0], events=(*runs[0].events, *self.facts)), *runs[1:]]
        return Report(
            self.model,
            self.failure,
            traced_to_sizes(runs),
            tuple(self.rungs),
            tuple(self.outcomes),
        )


class Telling:
    """The messages of one piece of work, in their order."""

    def __init__(self, asked: Asked, progress: Callable[[str], None]) -> None:
        self._asked, self._progress = asked, progress
        self._told = _Told(asked.start)
        self._begun = 0

    def take(self, message: Message) -> Iterator[Report]:
        """The report that is complete with a message."""
        ((kind, data),) = message.items()
        try:
            if kind == "done":
                yield from self._told.reports()
                self._told = _Told(self._asked.start)
            elif kind == "begin":
                self._begin(data)
            elif not self._told.improper:
                self._take(kind, data)
        except MalformedError as error:
            self._told.improper = str(error)

    def end(self, cause: str, output: str = "") -> Iterator[Report]:
        """The report on what was in hand when the work was ended."""
        over = self._asked.configured and self._begun
        if self._told.current is not self._asked.start or not over:
            yield from self._told.reports(cause, output)

    def _begin(self, data: Any) -> None:
        path, qualname, row = _three(data)
        self._begun += 1
        if self._begun > self._asked.models:
            raise MalformedError("more models than a file has")
        if path != self._asked.start.path:
            raise MalformedError(f"a model of {path}")
        self._told = _Told(replace(self._asked.start, qualname=qualname, row=row))
        self._progress(f"{path}:{qualname}")

    def _take(self, kind: str, data: Any) -> None:
        told, current = self._told, self._told.current
        if kind == "model":
            told.model = self._model(wire.model(data))
        elif kind == "failure":
            told.failure = self._failure(wire.failure(data))
        elif kind == "run":
            told.runs.append(self._run(wire.run(data)))
        elif kind == "fact":
            told.facts.append(self._event(wire.event(data)))
        elif kind == "rung":
            told.rungs.append(self._rung(wire.rung(data)))
        elif kind == "outcome":
            told.outcomes.append(self._outcome(wire.outcome(data)))
        elif kind == "trying" and data in self._asked.exporters:
            self._progress(f"{current.path}:{current.qualname} → {data}")
        else:
            raise MalformedError(f"{kind[:40]!r}")

    def _model(self, model: Model) -> Model:
        self._belongs(model.path, model.qualname, model.row)
        try:
            shown(model.inputs, model.sizes)
        except Exception as error:  # inputs that stand nowhere in an argument
            raise MalformedError("inputs that make no arguments") from error
        return model

    def _failure(self, failure: Failure) -> Failure:
        self._belongs(failure.path, failure.qualname, failure.row)
        _known("stage", failure.stage, _STAGES)
        for event in failure.raised:
            self._event(event)
        cause, output = failure.cause[:_MOST_LETTERS], failure.output[-_MOST_LETTERS:]
        return replace(failure, cause=cause, output=output)

    def _belongs(self, path: str, qualname: str, row: int) -> None:
        """Raises MalformedError where this is not the model that is asked about."""
        current = self._told.current
        itself = (path, qualname) == (current.path, current.qualname)
        if not itself and not (self._asked.configured and self._asked.files.is_shown(path)):
            raise MalformedError(f"a result of {path}:{qualname}")
        if row < 1:
            raise MalformedError(f"row {row}")

    def _run(self, run: Run) -> Run:
        for event in run.events:
            self._event(event)
        return run

    def _event(self, event: Event) -> Event:
        self._are_shown((event.site, event.built))
        return event

    def _rung(self, rung: Rung) -> Rung:
        _known("graph", rung.name, _RUNGS)
        self._are_shown((rung.site, *(site for _, site in rung.operators)))
        return rung

    def _outcome(self, outcome: Outcome) -> Outcome:
        _known("exporter", outcome.exporter, self._asked.exporters)
        _known("status", outcome.status, _STATUSES)
        self._are_shown((outcome.site, *(site for _, site in outcome.warnings)))
        self._are_shown(use.site for use in outcome.graph)
        if outcome.artifact and not _is_inside(outcome.artifact, self._asked.artifacts):
            raise MalformedError(f"an exported file at {outcome.artifact}")
        return outcome

    def _are_shown(self, sites: Iterable[Site | None]) -> None:
        for site in sites:
            if site is not None and not self._asked.files.is_shown(site.path):
                raise MalformedError(f"a line of {site.path}")


def _three(data: Any) -> tuple[str, str, int]:
    """The path, class and row of a model. Raises MalformedError."""
    if isinstance(data, list) and list(map(type, data)) == [str, str, int] and data[2] > 0:
        return data[0], data[1], data[2]
    raise MalformedError("a model without a name")


def _known(what: str, name: str, names: Iterable[str]) -> None:
    if name not in names:
        raise MalformedError(f"a {what} {name[:40]!r}")


def _is_inside(path: str, folder: str) -> bool:
    """Whether a file lies in a folder that lies in this one."""
    if not folder or os.path.islink(path):
        return False
    return os.path.dirname(os.path.realpath(os.path.dirname(path))) == os.path.realpath(folder)
