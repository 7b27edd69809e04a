"""From what a worker tells to reports, where it is what the worker may tell. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lintorch.host.size_symbols import traced_to_sizes
from lintorch.host.vouching import Asked
from lintorch.record import wire
from lintorch.record.trace import Event, Failure, Model, Outcome, Run, Rung
from lintorch.record.wire import MalformedError

Message = dict[str, Any]


@dataclass(frozen=True)
class Report:
    """What became of one model, or of a file that could not be imported."""

    model: Model | None
    failure: Failure | None
    runs: tuple[Run, ...] = ()
    rungs: tuple[Rung, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


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
            self.model, self.failure, traced_to_sizes(runs), tuple(self.rungs), tuple(self.outcomes)
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
        told, current, asked = self._told, self._told.current, self._asked
        if kind == "model":
            told.model = asked.model(wire.model(data), current)
        elif kind == "failure":
            told.failure = asked.failure(wire.failure(data), current)
        elif kind == "run":
            told.runs.append(asked.run(wire.run(data)))
        elif kind == "fact":
            told.facts.append(asked.event(wire.event(data)))
        elif kind == "rung":
            told.rungs.append(asked.rung(wire.rung(data)))
        elif kind == "outcome":
            told.outcomes.append(asked.outcome(wire.outcome(data)))
        elif kind == "trying" and data in asked.exporters:
            self._progress(f"{current.path}:{current.qualname} → {data}")
        else:
            raise MalformedError(f"{kind[:40]!r}")


def _three(data: Any) -> tuple[str, str, int]:
    """The path, class and row of a model. Raises MalformedError."""
    if isinstance(data, list) and list(map(type, data)) == [str, str, int] and data[2] > 0:
        return data[0], data[1], data[2]
    raise MalformedError("a model without a name")
