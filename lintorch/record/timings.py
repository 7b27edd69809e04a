"""How long a model takes, as it is and as it was exported, side by side in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lintorch.record.sites import Site


@dataclass(frozen=True)
class Spread:
    """Seconds of one call: the median of all rounds, and the quartiles around it."""

    median: float
    low: float
    high: float

    def differs_from(self, other: Spread) -> bool:
        """Whether the middle halves of both lie apart; else noise may be all that is between them."""
        return self.high < other.low or other.high < self.low


@dataclass(frozen=True)
class FormTiming:
    """One form of a model: eager, compiled, or exported and run in its runtime.

    `operators` are those that one run executes, by their names. Sizes are bytes, None where they
    cannot be known. `why` says why nothing was timed.
    """

    form: str
    spread: Spread | None = None
    first: float | None = None
    """Seconds of the first call, in which some forms compile."""
    calls: int = 0
    """Calls of one round."""
    operators: Mapping[str, int] = field(default_factory=dict)
    file: int | None = None
    weights: int | None = None
    activations: int | None = None
    """The most that is held at once of what one run makes, its outputs among it, its inputs not."""
    why: str = ""
    beside: str = "eager"
    """The form that it ran in rounds with, and is compared with."""


@dataclass(frozen=True)
class SizeCost:
    """A layer as it is and with its sizes raised to multiples of 8, each fed as in the model.

    `sizes` and `padded` are what it takes and gives, in features or channels.
    """

    layer: str
    kind: str
    sizes: tuple[int, int]
    padded: tuple[int, int]
    own: Spread
    other: Spread
    site: Site | None = None


@dataclass(frozen=True)
class ModelTiming:
    """All forms at the first sizes, in interleaved rounds; `stopped` says why there are none."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    threads: int = 1
    rounds: int = 0
    warm: int = 0
    """Calls of each form before the first round."""
    load: float | None = None
    """Processes that wanted a core at the end, by the minute's average; None where nobody counts."""
    cores: int = 1
    forms: tuple[FormTiming, ...] = ()
    costs: tuple[SizeCost, ...] = ()
    stopped: str = ""
