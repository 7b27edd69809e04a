"""Decoders of language models: how one is called with its cache, its two halves, and what steps came to."""

from __future__ import annotations

from dataclasses import dataclass

PREFILL, STEP = "prefill", "step"
"""The prompt with nothing before it, and one token with the cache of all before it."""
HALVES = (PREFILL, STEP)
BATCH, PAST = "batch", "past"
"""Names of sizes: how many texts there are, and how many tokens come before."""


@dataclass(frozen=True)
class DecoderForm:
    """How `forward` takes tokens and cache; "" for an argument that it does not have.

    `part` is where the cache stands in what forward gives back, an index or a key; None where the
    module keeps it itself. `flags` are arguments that have to be true. Positions are a range of
    numbers, with an axis of the batch or without, or the number of the first.
    """

    tokens: str
    cache: str = ""
    part: int | str | None = None
    mask: str = ""
    positions: str = ""
    positions_are: str = ""
    """`batch`, `range` or `start`."""
    flags: tuple[str, ...] = ()
    agrees: bool = True
    """Whether a step gave what the whole sequence gives where the form was found."""


@dataclass(frozen=True)
class GreedyStep:
    """What was exported beside eager, one step of generating: at `past` tokens before it.

    `error` is how far the logits are from eager's with its own cache, None where there are none to
    compare and `why` says so; `own` how far eager with its cache is from eager without. `tokens`
    of the batch come out as others.
    """

    past: int
    error: float | None
    tolerance: float
    tokens: int = 0
    own: float | None = None
    why: str = ""

    @property
    def parts(self) -> bool:
        """Whether what was exported is too far from eager."""
        return self.error is None or self.error > self.tolerance

    @property
    def parts_from_whole(self) -> bool:
        """Whether eager with its cache is too far from eager without."""
        return self.own is not None and self.own > self.tolerance


@dataclass(frozen=True)
class Greedy:
    """The exported halves generating from a prompt: its sizes, the prompt's end as first step, then others."""

    batch: int
    prompt: int
    steps: tuple[GreedyStep, ...]

    @property
    def first_apart(self) -> GreedyStep | None:
        """Where what was exported parts from eager."""
        return next((step for step in self.steps if step.parts), None)

    @property
    def first_unlike_whole(self) -> GreedyStep | None:
        """Where eager with its cache parts from eager without."""
        return next((step for step in self.steps if step.parts_from_whole), None)
