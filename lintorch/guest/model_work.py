"""One model in the making: what to do with it, in how much time, and where to tell of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from lintorch.guest.construct.model_identity import Seen
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.isolate import Ending, Send, isolate
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record import wire
from lintorch.record.allowance import Allowance
from lintorch.record.messages import Message
from lintorch.record.trace import Event, Failure

LEAST_SECONDS = 2.0


@dataclass(frozen=True)
class Options(Allowance):
    """What to do with each model, and within which limits."""

    trace: bool = True
    exporters: tuple[str, ...] = ()
    in_training: Collection[Sequence[str]] = ()
    opsets: Mapping[str, int] = field(default_factory=dict)
    artifacts: str = ""
    """The folder in which exported files are kept; "" to keep none."""
    project: str = ""
    graphs: bool = True
    """Whether a model that is run is traced as a graph too."""
    scripts: bool = False
    """Whether to write a program that shows what went wrong."""
    dynamic: bool = True
    """Whether exports leave sizes open."""


@dataclass(frozen=True)
class Work:
    """One model in the making."""

    send: Send
    seen: Seen
    files: UserLines
    options: Options
    deadline: float

    def fail(
        self, stage: str, cause: str, output: str = "", raised: tuple[Event, ...] = ()
    ) -> None:
        """Send a failure of this model."""
        seen = self.seen
        failure = Failure(seen.path, seen.qualname, seen.row, stage, cause, output, raised)
        self.send({"failure": wire.packed(failure)})

    def left(self) -> float:
        """Seconds that are left for building, feeding and running."""
        return max(LEAST_SECONDS, self.deadline - clock())

    def step(
        self, work: Callable[[Send], None], seconds: float, *kinds: str
    ) -> tuple[list[Message], Ending]:
        """Do a part of the work in a child of its own, so that this process stays as it is.

        It sends messages of these kinds.
        """
        sent: list[Message] = []
        pieces = isolate(work, self.options.of_step(seconds, *kinds))
        while True:
            try:
                sent.append(next(pieces))
            except StopIteration as stop:
                return sent, stop.value
