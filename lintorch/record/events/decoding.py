"""What generating with a cache, and without one, has shown of a line."""

from __future__ import annotations

from dataclasses import dataclass

from lintorch.record.events.base import RunEvent


@dataclass(frozen=True, kw_only=True)
class PastForgotten(RunEvent, tag="past-forgotten"):
    """Behind a cache the line computes other numbers than in the whole text, and so are the logits.

    `past` tokens were in the cache; the logits are off by `amount`, more than the `tolerance`.
    """

    function: str
    past: int
    amount: float
    tolerance: float
