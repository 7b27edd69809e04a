"""From what a worker tells to reports, where it is what the worker may tell. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from lintorch.host.size_symbols import traced_to_sizes
from lintorch.host.vouching import Asked
from lintorch.record.events import RunEvent
from lintorch.record.file_comparisons import FileComparison
from lintorch.record.framing import Parcel
from lintorch.record.messages import (
    ExportBegun,
    ExportTried,
    FactShown,
    FileCompared,
    FileMessage,
    FilesRead,
    GraphTried,
    ModelBegun,
    ModelCompared,
    ModelDone,
    ModelFailed,
    ModelFound,
    ModelObserved,
    ModelTimed,
    RunRecorded,
    StateSeen,
)
from lintorch.record.models import Failure, Model
from lintorch.record.outcomes import Outcome
from lintorch.record.proofs import Comparison, Observed
from lintorch.record.runs import GraphCapture, ModelRun
from lintorch.record.sites import Shape
from lintorch.record.timings import ModelTiming
from lintorch.record.wire import MalformedError


@dataclass(frozen=True)
class Report:
    """What became of one model, or of a file that could not be imported."""

    model: Model | None
    failure: Failure | None
    runs: tuple[ModelRun, ...] = ()
    captures: tuple[GraphCapture, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    observed: Observed | None = None
    """What was run of it, where what it computes was kept to be compared with."""
    comparison: Comparison | None = None
    """What a fixed text makes of that."""
    state: Mapping[str, Shape | None] | None = None
    """The shapes of its state_dict by key, where they were asked for; None for those not decided yet."""
    beside: FileComparison | None = None
    """What became of it beside an exported file."""
    timing: ModelTiming | None = None
    """How long it takes, where that was asked for."""
    place: int = 0
    """The place of the table or file that it is of, among all that there are."""


@dataclass
class _Told:
    """What was told of one model so far, and what was wrong with it."""

    current: Failure
    model: Model | None = None
    failure: Failure | None = None
    runs: list[ModelRun] = field(default_factory=list)
    facts: list[RunEvent] = field(default_factory=list)
    captures: list[GraphCapture] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    observed: Observed | None = None
    comparison: Comparison | None = None
    state: Mapping[str, Shape | None] | None = None
    beside: FileComparison | None = None
    timing: ModelTiming | None = None
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
        if self.model is not None:
            yield from (self._make_half(half.name, self.model) for half in self.model.halves)

    def _make_half(self, name: str, model: Model) -> Report:
        """A half of a decoder, as a model of its own."""
        runs = [run for run in self.runs if run.half == name]
        return Report(
            model.take_half(name),
            None,
            traced_to_sizes(runs),
            outcomes=tuple(each for each in self.outcomes if each.half == name),
        )

    def _whole(self) -> Report:
        runs = [run for run in self.runs if not run.half]
        if runs and self.facts:
            runs = [replace(runs[0], events=(*runs[0].events, *self.facts)), *runs[1:]]
        return Report(
            self.model,
            self.failure,
            traced_to_sizes(runs),
            tuple(self.captures),
            tuple(each for each in self.outcomes if not each.half),
            self.observed,
            self.comparison,
            self.state,
            self.beside,
            self.timing,
        )


class Telling:
    """The messages of one piece of work, in their order."""

    def __init__(self, asked: Asked, progress: Callable[[str], None]) -> None:
        self._asked, self._progress = asked, progress
        self._told = _Told(asked.start)
        self._begun = 0

    def take_parcel(self, parcel: Parcel) -> Iterator[Report]:
        """The report that is complete with a message; after an improper one, what follows is not read."""
        if parcel.tag == ModelDone.tag:
            yield from self._told.reports()
            self._told = _Told(self._asked.start)
        elif parcel.tag == ModelBegun.tag or not self._told.improper:
            try:
                self._take(parcel.open_as(FileMessage))
            except MalformedError as error:
                self._told.improper = str(error)

    def end(self, cause: str, output: str = "") -> Iterator[Report]:
        """The report on what was in hand when the work was ended."""
        over = self._asked.configured and self._begun
        if self._told.current is not self._asked.start or not over:
            yield from self._told.reports(cause, output)

    def _begin(self, begun: ModelBegun) -> None:
        path, qualname = begun.path, begun.qualname
        self._begun += 1
        if self._begun > self._asked.models:
            raise MalformedError("more models than a file has")
        if path != self._asked.start.path:
            raise MalformedError(f"a model of {path}")
        self._told = _Told(replace(self._asked.start, qualname=qualname, row=begun.row))
        self._progress(f"{path}:{qualname}")

    def _take(self, message: FileMessage) -> None:
        told, current, asked = self._told, self._told.current, self._asked
        match message:
            case ModelBegun():
                self._begin(message)
            case ModelFound(model):
                told.model = asked.model(model, current)
            case ModelFailed(failure):
                told.failure = asked.failure(failure, current)
            case StateSeen(shapes):
                told.state = shapes
            case RunRecorded(run):
                told.runs.append(asked.run(run))
            case FactShown(event):
                told.facts.append(asked.event(event))
            case GraphTried(capture):
                told.captures.append(asked.capture(capture))
            case ModelObserved(observed):
                told.observed = asked.observed(observed)
            case ModelCompared(comparison):
                told.comparison = asked.comparison(comparison)
            case FileCompared(found):
                told.beside = asked.beside(found)
            case ModelTimed(timing) if asked.exporters:
                told.timing = asked.timing(timing)
            case ExportTried(outcome):
                told.outcomes.append(asked.outcome(outcome))
            case ExportBegun(exporter) if exporter in asked.exporters:
                self._progress(f"{current.path}:{current.qualname} → {exporter}")
            case FilesRead():
                pass  # which who keeps what was told asks for
            case _:
                raise MalformedError(repr(message.tag))
