"""What a piece of work may take, and the words for a limit that it met."""

from __future__ import annotations

from dataclasses import dataclass

from lintorch.record.framing import MOST_AT_ALL, ImproperError, Parcel

SLACK = 5.0
"""Seconds an outer piece of work is given beyond the inner one it waits for."""


def size_in_words(size: int) -> str:
    """`size` bytes as people write it: "8 GiB"."""
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{size / 2**20:.3g} MiB"


@dataclass(frozen=True)
class Limit:
    """One limit as it was set, and the setting that raises it: ("8 s", "trace-seconds")."""

    amount: str
    setting: str

    def describe_timeout(self, where: str = "") -> str:
        """That the time was up; `where` is a line in parentheses."""
        return f"it did not finish within {self.amount}{where}{self._raised}"

    def describe_overuse(self, where: str = "") -> str:
        """That the memory was used up."""
        return f"it used more than {self.amount} of memory{where}{self._raised}"

    @property
    def _raised(self) -> str:
        return f"; `{self.setting}` raises this limit" if self.setting else ""


def seconds_limit(seconds: float, setting: str = "") -> Limit:
    """A limit of time."""
    return Limit(f"{seconds:g} s", setting)


def memory_limit(size: int, setting: str = "") -> Limit:
    """A limit of memory, in bytes."""
    return Limit(size_in_words(size), setting)


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
