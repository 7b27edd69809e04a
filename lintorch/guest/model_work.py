"""One model in the making: what to do with it, in how much time, and where to tell of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lintorch.guest.construct.model_identity import ModelIdentity
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.isolate import Send, isolate_work
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.events import Raised
from lintorch.record.framing import Message, Parcel
from lintorch.record.messages import Ending, ModelFailed
from lintorch.record.model_options import ModelOptions
from lintorch.record.models import Failure, Stage
from lintorch.record.work_bounds import bound_step

LEAST_SECONDS = 2.0
"""Seconds that each part of the work gets even where none are left."""


@dataclass(frozen=True)
class ModelWork:
    """One model in the making."""

    send: Send
    identity: ModelIdentity
    files: UserLines
    options: ModelOptions
    deadline: float

    def send_failure(
        self,
        stage: Stage,
        cause: str,
        output: str = "",
        raised: tuple[Raised, ...] = (),
        traceback: str = "",
    ) -> None:
        """Send a failure of this model."""
        identity = self.identity
        failure = Failure(
            identity.path, identity.qualname, identity.row, stage, cause, output, raised, traceback
        )
        self.send(ModelFailed(failure))

    def count_seconds_left(self) -> float:
        """Seconds that are left for building, feeding and running."""
        return max(LEAST_SECONDS, self.deadline - clock())

    @property
    def is_time_up(self) -> bool:
        """Whether building, feeding and running have had all their seconds."""
        return clock() >= self.deadline

    def run_step(
        self, work: Callable[[Send], None], seconds: float, kind: type[Message]
    ) -> tuple[list[Parcel], Ending]:
        """Do a part of the work in a child of its own, so that this process stays as it is.

        It sends messages of this kind.
        """
        sent: list[Parcel] = []
        pieces = isolate_work(work, bound_step(self.options.limits, seconds, kind))
        while True:
            try:
                sent.append(next(pieces))
            except StopIteration as stop:
                return sent, stop.value
