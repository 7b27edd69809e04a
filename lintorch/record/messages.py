"""What lintorch's processes tell each other: one frozen class for each kind of message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from lintorch.record.bounds import Bounds
from lintorch.record.events import Raised, RunEvent
from lintorch.record.file_comparisons import FileComparison
from lintorch.record.framing import Message
from lintorch.record.models import Failure, Model
from lintorch.record.outcomes import Outcome
from lintorch.record.proofs import Comparison, Observed
from lintorch.record.readers import AsSent
from lintorch.record.runs import GraphCapture, ModelRun
from lintorch.record.sites import Row, Shape
from lintorch.record.suggestions import Suggestion
from lintorch.record.tagged import Tagged, tagged_classes
from lintorch.record.timings import ModelTiming


def tags_of(*kinds: type[Tagged]) -> tuple[str, ...]:
    """The tags of classes of messages, and of those below them: what a piece of work may send."""
    return tuple(sorted({each.tag for kind in kinds for each in tagged_classes(kind)}))


class FileMessage(Message):
    """Base of what the process tells that has loaded a file, and starts those of its models."""


@dataclass(frozen=True)
class ModelBegun(FileMessage, tag="begin"):
    """Work on a model begins: all until `ModelDone` is about it."""

    path: str
    qualname: str
    row: Row


@dataclass(frozen=True)
class ModelDone(FileMessage, tag="done"):
    """Work on the model is over."""


@dataclass(frozen=True)
class FilesRead(FileMessage, tag="read"):
    """Which files the work has read: the real `paths`, and what searches for words have found.

    A search is told as these words, and behind them what stands for the files that hold one:
    `searches` are of the files of the project, `calls` of those that are checked for calls of a name.
    """

    paths: tuple[str, ...]
    searches: tuple[tuple[str, ...], ...] = ()
    calls: tuple[tuple[str, ...], ...] = ()


class ModelMessage(FileMessage):
    """Base of what the process of a model tells of it."""


@dataclass(frozen=True)
class ModelFound(ModelMessage, tag="model"):
    """The model is built, and runs on the inputs that were found."""

    model: Model


@dataclass(frozen=True)
class StateSeen(ModelMessage, tag="state"):
    """The shapes of the model's state_dict, by key; None for one that its first run decides."""

    shapes: Mapping[str, Shape | None]


@dataclass(frozen=True)
class ModelFailed(ModelMessage, tag="failure"):
    """The model could not be built, fed or run to its end."""

    failure: Failure


@dataclass(frozen=True)
class RunRecorded(ModelMessage, tag="run"):
    """The model has run, at the first sizes or others."""

    run: ModelRun


@dataclass(frozen=True)
class FactShown(ModelMessage, tag="fact"):
    """A run with one thing changed has shown something of the first run."""

    event: RunEvent


@dataclass(frozen=True)
class GraphTried(ModelMessage, tag="graph"):
    """The model was traced as a graph, or could not be."""

    capture: GraphCapture


@dataclass(frozen=True)
class ExportBegun(ModelMessage, tag="trying"):
    """An exporter is tried now."""

    exporter: str


@dataclass(frozen=True)
class ModelObserved(ModelMessage, tag="observed"):
    """The model was run with the original text, and what it computed is kept."""

    observed: Observed


@dataclass(frozen=True)
class ModelCompared(ModelMessage, tag="compared"):
    """The model was run with a fixed text, and compared with what was kept."""

    comparison: Comparison


@dataclass(frozen=True)
class FileCompared(ModelMessage, tag="beside"):
    """The model was run beside a file that was exported before."""

    found: FileComparison


class ExportMessage(Message):
    """Base of what the process of an export tells."""


@dataclass(frozen=True)
class ModelTimed(ModelMessage, ExportMessage, tag="timed"):
    """The model was timed, as it is and as it was exported."""

    timing: ModelTiming


@dataclass(frozen=True)
class ExportTried(ModelMessage, ExportMessage, tag="outcome"):
    """An exporter was tried."""

    outcome: Outcome


@dataclass(frozen=True)
class PartFound(ExportMessage, tag="part"):
    """A part of the model fails, or is wrong, alone; the last one told is the smallest."""

    name: str


@dataclass(frozen=True)
class ScriptWritten(ExportMessage, tag="script"):
    """The text of a program that does what the export did."""

    text: str


@dataclass(frozen=True)
class ScriptMissing(ExportMessage, tag="unwritten"):
    """Why there is no such program."""

    reason: str


@dataclass(frozen=True)
class CallSuggested(ExportMessage, tag="suggestion"):
    """The export call to copy, tried."""

    suggestion: Suggestion


@dataclass(frozen=True)
class RefusalSeen(Message, tag="raised"):
    """What the model raised at sizes that it does not take; None where it named no line of the user's."""

    event: Raised | None


@dataclass(frozen=True)
class OutputSeen(Message, tag="output"):
    """What the model gives back: whether numbers without dimensions, and nothing else."""

    scalar: bool


@dataclass(frozen=True)
class WayFound(Message, tag="way"):
    """With which goal and form of batches a function that trains can be called; else why with none.

    `switched`: with its flags on.
    """

    goal: int = -1
    form: int = 0
    switched: bool = False
    error: str = ""


@dataclass(frozen=True)
class TimeNeeded(Message, tag="allow"):
    """Work asks for so many seconds from now on."""

    seconds: float


@dataclass(frozen=True)
class WorkEnded(Message, tag="end"):
    """The last that a forked process tells: why it ended before its time, or nothing."""

    cause: str = ""
    out_of_memory: bool = False


@dataclass(frozen=True)
class WorkerReady(Message, tag="ready"):
    """The worker has imported torch; what holds work in there, in words: "network" and so on."""

    contained: Mapping[str, str]


@dataclass(frozen=True)
class WorkerFailed(Message, tag="error"):
    """The worker could not import torch."""

    cause: str


@dataclass(frozen=True)
class Ending(Message, tag="ending"):
    """How a piece of work ended: `cause` is "" where it came to its end."""

    cause: str
    output: str
    """The end of what it printed."""


@dataclass(frozen=True)
class WorkRequest(Message, tag="work"):
    """The worker is to call a function, within bounds, in a process of its own."""

    function: str
    """`module:name`."""
    arguments: Annotated[Mapping[str, Any], AsSent()]
    bounds: Bounds
    imports: tuple[str, ...]
    """Modules to be loaded once, for this and all later work."""
    folders: tuple[str, ...]
    """What comes into these counts as written by the work."""
