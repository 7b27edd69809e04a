"""Sides of an image at which `view(-1, n)` makes one row of each sample: at others it cuts through channels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise
from math import isqrt, prod
from operator import mul

from torch import nn

from lintorch.guest.feed.guess_inputs import SPATIAL, Guess
from lintorch.guest.feed.run_weight import RunWeight
from lintorch.guest.feed.varying_sizes import weigh_at
from lintorch.guest.process.deadline import clock

_LEAST_SIDE = 8
_VIEWS = ("view", "reshape")


def unmix_samples(
    guess: Guess, weight: RunWeight, module: nn.Module, deadline: float
) -> tuple[Guess, RunWeight]:
    """The guess with the sides for which a map is flattened by samples, and that run, where the model runs so.

    `weight` is that of a run of the guess.
    """
    sides = {name: size for name, size in guess.sizes.items() if name in SPATIAL}
    root = isqrt(next(_list_cuts(weight, guess.sizes.get("batch", 0)), 0))
    if len(sides) != 2 or root < 2 or any(side % root for side in sides.values()):
        return guess, weight
    other = guess.with_sizes(**{name: side // root for name, side in sides.items()})
    if min(other.sizes[name] for name in sides) < _LEAST_SIDE:
        return guess, weight
    seconds = max(1.0, deadline - clock())
    run = weigh_at(module, other.list_arguments(), other.sizes, seconds)
    if run is None or mixes_samples(run, other.sizes["batch"]):
        return guess, weight
    return other, run


def mixes_samples(weight: RunWeight, batch: int) -> bool:
    """Whether a view of a run of so many samples cuts through channels."""
    return any(_list_cuts(weight, batch))


def _list_cuts(weight: RunWeight, batch: int) -> Iterator[int]:
    """Of views of a map of all samples that make more rows, each of some channels: how many a sample has."""
    for (_, before), (name, after) in pairwise(weight.shapes):
        is_view = any(each in name for each in _VIEWS)
        for given, made in zip(before, after, strict=False) if is_view else ():
            whole = len(given) == 4 and given[0] == batch and len(made) == 2
            if whole and prod(made) == prod(given) and _cuts_channels(given, made[1]):
                yield made[0] // batch


def _cuts_channels(given: tuple[int, ...], row: int) -> bool:
    """Whether rows of this length hold whole maps of no channel, nor all of a sample: they are cut anywhere."""
    ends = {*accumulate(reversed(given[1:]), mul)}
    return row not in ends and row % given[1] == 0 and row < prod(given[1:])
