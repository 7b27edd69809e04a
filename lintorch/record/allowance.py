"""How long the work on one model may take, and what its process may say of it. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass

from lintorch.record.bounds import SLACK, Bounds, Limit, memory_limit, seconds_limit

REPLAYING = 10.0
"""Seconds in which a model is run with one thing changed, at most."""
MOST_MODELS = 24
"""Models run per file, at most."""
_GRAPHS = 2
_SLACK = 2 * 2**30
"""Bytes that the process which loads a file may hold beyond what the model in its child may."""
_MOST_OF_A_FILE = 512 << 20
TOLD = frozenset({"model", "failure", "run", "fact", "rung", "outcome", "trying"})
"""What the process of a model tells of it."""
TOLD_OF_A_FILE = TOLD | {"begin", "done"}
"""What the process tells that has loaded the file, and starts those of the models."""


@dataclass(frozen=True)
class Allowance:
    """Limits of one model, as set: seconds to build, feed and run it, seconds per trial export, bytes
    of memory, and bytes that all models of a file may write.

    `trials` are the exports of a model, of which `jobs` run side by side.
    """

    seconds: float
    trial_seconds: float
    memory: int
    disk: int = 0
    trials: int = 0
    jobs: int = 1

    @property
    def time(self) -> Limit:
        """The limit of building, feeding and running."""
        return seconds_limit(self.seconds, "trace-seconds")

    @property
    def trial_time(self) -> Limit:
        """The limit of one export."""
        return seconds_limit(self.trial_seconds, "trial-seconds")

    @property
    def space(self) -> Limit:
        """The limit of memory."""
        return memory_limit(self.memory, "trace-memory")

    def of_step(self, seconds: float, *kinds: str) -> Bounds:
        """Bounds of a part of the work on a model, which sends messages of these kinds."""
        return Bounds(seconds, self.memory, kinds=kinds, time=self.time, space=self.space)

    def of_trial(self, *kinds: str) -> Bounds:
        """Bounds of one export."""
        return Bounds(
            self.trial_seconds, self.memory, kinds=kinds, time=self.trial_time, space=self.space
        )

    def of_model(self) -> Bounds:
        """Bounds of all work on a model, which asks for more time with each graph and each export."""
        return Bounds(
            self.seconds + SLACK,
            self.memory,
            self.memory * self.jobs,
            longest=self._longest,
            extended=self._extended,
            kinds=TOLD,
            time=self.time,
            space=self.space,
            apart=True,
        )

    def of_file(self, models: int) -> Bounds:
        """Bounds of loading a file, and of so many models in it."""
        each = self.seconds + 2 * SLACK + self._extended + SLACK * self._extensions
        return Bounds(
            self.seconds,
            self.memory + _SLACK,
            self.memory * self.jobs + _SLACK,
            longest=max(self._longest + SLACK, self.seconds + 2 * SLACK),
            extended=models * each,
            kinds=TOLD_OF_A_FILE,
            most=_MOST_OF_A_FILE,
            disk=self.disk,
            time=self.time,
            space=self.space,
            apart=True,
        )

    @property
    def _longest(self) -> float:
        return max(self.seconds, self.trial_seconds, REPLAYING) + SLACK

    @property
    def _extensions(self) -> int:
        return 1 + _GRAPHS + self.trials

    @property
    def _extended(self) -> float:
        graphs = _GRAPHS * self.seconds + self.trials * self.trial_seconds
        return REPLAYING + graphs + SLACK * self._extensions
