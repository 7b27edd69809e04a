"""What a piece of work may take, and what it may say."""

from __future__ import annotations

from dataclasses import dataclass

from lintorch.record.framing import MOST_AT_ALL, ImproperError, Parcel
from lintorch.record.limit_words import Limit, memory_limit, seconds_limit

SLACK = 5.0
"""Seconds an outer piece of work is given beyond the inner one it waits for."""


@dataclass(frozen=True)
class Bounds:
    """The bounds of one piece of work, and what it may say.

    It has `seconds`; with a `TimeNeeded` it asks for more from then on, each time
    `longest` at most and `extended` in all. It may hold `memory` bytes, `together` (else the
    same) with all that it starts. It may add `disk` bytes (0: as many as it likes) to what is in
    the folders `watched`. `kinds` are the tags of the messages that it may send, `most` their bytes.
    `time` and `space` are the limits as set, which what is left of them is not.
    """

    seconds: float
    memory: int
    together: int = 0
    longest: float = 0.0
    extended: float = 0.0
    kinds: tuple[str, ...] = ()
    most: int = MOST_AT_ALL
    time: Limit | None = None
    space: Limit | None = None
    disk: int = 0
    watched: tuple[str, ...] = ()
    apart: bool = False
    """Whether it gets a folder of its own, instead of that of the process that waits for it."""

    def describe_timeout(self) -> str:
        """The cause that its time was up."""
        return (self.time or seconds_limit(self.seconds)).describe_timeout()

    def describe_overuse(self) -> str:
        """The cause that its memory was used up."""
        return (self.space or memory_limit(self.together or self.memory)).describe_overuse()

    def admit(self, parcel: Parcel) -> Parcel:
        """A message of one of the kinds. Raises ImproperError."""
        if (tag := parcel.tag) not in self.kinds:
            raise ImproperError(f"it sent a result of a kind that is not its own, {tag[:40]!r}")
        return parcel

    def grant_seconds(self, asked: float, already: float) -> float:
        """The seconds that are given where some are asked for. Raises ImproperError."""
        if not 0 < asked < float("inf"):
            raise ImproperError("it asked for more time in a way that lintorch does not")
        return min(float(asked), self.longest, self.extended - already)
