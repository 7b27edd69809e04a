"""What a model computes with a fixed text, beside what it computes with the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_ROUNDING = 1e-4
"""Of a number, or of 1 where it is smaller: what float32 leaves open after some thousand sums."""


@dataclass(frozen=True)
class Change:
    """One thing that came out otherwise: `what` names it, as `gradient of conv.weight`.

    `was` and `now` are the two numbers that are furthest apart, by `amount`; None where no numbers
    can be compared, and `why` says in words what there is instead.
    """

    what: str
    sizes: Mapping[str, int] = field(default_factory=dict)
    """The sizes of the run; {} for what is there before or after all of them."""
    training: bool = False
    amount: float | None = None
    was: float | None = None
    now: float | None = None
    why: str = ""
    breaks: bool = False
    """Whether the model does not run any more, or its file is not imported as before."""
    exact: bool = False
    """Whether in float64 all numbers are the same, and this one is no further from that than it was."""

    @property
    def is_rounding(self) -> bool:
        """Whether the two numbers are so near that the order of a sum may set them apart."""
        if self.amount is None:
            return False
        if self.exact:
            return True
        return self.amount <= _ROUNDING * max(1.0, abs(self.was or 0.0), abs(self.now or 0.0))


@dataclass(frozen=True)
class Observed:
    """What was run of a model with one text: its sizes, and what could not be, in words.

    `rows` are those of the watched file that ran while the model was built and run.
    """

    sizes: tuple[Mapping[str, int], ...] = ()
    trained: bool = False
    """Whether it was run, and gave gradients, in training mode too."""
    left_out: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    steps: int | None = None
    """Steps of optimizers, where it is a function that was called to train, and no model."""


@dataclass(frozen=True)
class Comparison:
    """A model with the fixed text beside the same with the original."""

    observed: Observed
    changes: tuple[Change, ...] = ()
    keys: tuple[str, ...] = ()
    """What became of keys of the state_dict, in words: `layers.0.weight is added`."""
    gained: tuple[str, ...] = ()
    """What did not run with the original and does now, in words."""
