"""Rows that a model takes for the places of one sample: it puts an axis of its own before them, by broadcasting."""

from __future__ import annotations

from dataclasses import replace

from torch import nn

from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.run_weight import RunWeight
from lintorch.guest.feed.varying_sizes import weigh_at
from lintorch.record.models import Input

_SECONDS = 4.0
_ODD = 5
"""Samples that no model has anything else as many of."""


def part_samples(guess: Guess, weight: RunWeight, module: nn.Module) -> tuple[Guess, RunWeight]:
    """The guess with several rows a sample, where one row each gives one sample of them all, and the model runs so.

    `weight` is that of a run of the guess.
    """
    flat = all(given.shape[:1] == ("batch",) and len(given.shape) == 2 for given in guess.inputs)
    fractions = all(given.dtype.startswith("float") for given in guess.inputs)
    if not flat or not fractions or weight.count_last_rows() != 1:
        return guess, weight
    run = weigh_at(module, guess.list_arguments(), {**guess.sizes, "batch": _ODD}, _SECONDS)
    if run is None or _list_last(run)[:2] != (1, _ODD):
        return guess, weight
    other = guess.with_inputs(tuple(map(_add_rows, guess.inputs)))
    run = weigh_at(module, other.list_arguments(), {**other.sizes, "batch": _ODD}, _SECONDS)
    if run is None or _list_last(run)[:2] != (_ODD, other.sizes["sequence"]):
        return guess, weight
    again = weigh_at(module, other.list_arguments(), other.sizes, _SECONDS)
    return (other, again) if again is not None else (guess, weight)


def _add_rows(given: Input) -> Input:
    return replace(given, shape=("batch", "sequence", *given.shape[1:]))


def _list_last(weight: RunWeight) -> tuple[int, ...]:
    """The sizes of the last thing computed."""
    last = weight.shapes[-1][1] if weight.shapes else ()
    return last[0] if last else ()
