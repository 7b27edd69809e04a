"""First sizes at which no size inside a model is one that is more at larger sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from torch import nn

from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.other_sizes import group_names
from lintorch.guest.feed.run_weight import RunWeight
from lintorch.guest.feed.unmix_samples import mixes_samples
from lintorch.guest.feed.varying_sizes import find_most_seconds, weigh_at
from lintorch.guest.process.deadline import clock

_MOST_DOUBLINGS = 2

Weigh = Callable[[Mapping[str, int]], RunWeight | None]
"""What a run at some sizes computes; None where it fails, or is too heavy."""


def leave_ones(
    guess: Guess, weight: RunWeight, module: nn.Module, deadline: float
) -> tuple[Guess, RunWeight]:
    """The guess with twice the sizes where something inside is one only for want of size, and that run.

    What was made there would hold for that size alone, as exporters take one for always one. `weight` is
    that of a run of the guess.
    """
    arguments, first, own = guess.list_arguments(), weight, guess.sizes

    def weigh(sizes: Mapping[str, int]) -> RunWeight | None:
        most = find_most_seconds(first)
        grown = prod(sizes.values()) / prod(own.values())
        if clock() > deadline or first.seconds * grown > most:
            return None
        found = weigh_at(module, arguments, sizes, max(1.0, deadline - clock()), most)
        mixed = found is not None and mixes_samples(found, sizes.get("batch", 0))
        return None if mixed and not mixes_samples(first, own.get("batch", 0)) else found

    for group in group_names(guess.sizes):
        for _ in range(_MOST_DOUBLINGS if group != ("batch",) else 0):
            found = _double_sizes(group, guess.sizes, weight, weigh)
            if found is None:
                break
            guess, weight = guess.with_sizes(**found[0]), found[1]
    return guess, weight


def _double_sizes(
    group: tuple[str, ...], sizes: Mapping[str, int], weight: RunWeight, weigh: Weigh
) -> tuple[Mapping[str, int], RunWeight] | None:
    """The fewest of these sizes doubled that do, and that run; None where nothing is gained by it."""
    all_of_them = {**sizes, **{name: 2 * sizes[name] for name in group}}
    roomiest = weigh(all_of_them)
    if roomiest is not None and not roomiest.vanishes_to_one(weight):
        return None
    some, best = sizes, weight
    for name in group if len(group) > 1 else ():
        more = {**some, name: 2 * some[name]}
        found = weigh(more)
        if found is not None and found.vanishes_to_one(best):
            some, best = more, found
            if roomiest is None or not roomiest.vanishes_to_one(best):
                return some, best
    return None if roomiest is None else (all_of_them, roomiest)
