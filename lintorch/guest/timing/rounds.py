"""Calls timed side by side: in rounds in which each has its turn, so that noise meets all of them."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import quantiles
from time import perf_counter

import torch

from lintorch.record.timings import Spread

Call = Callable[[], object]
WARM = 3
"""Calls of each before the first round."""
_LEAST, _MOST = 9, 30
"""Rounds."""
_SECONDS_OF_TURN = 0.02
"""Seconds that a turn of one call takes, at least: as many calls are made in it."""
_MOST_CALLS = 2000


def warm_up(call: Call) -> tuple[float, int]:
    """Seconds of the first call, and how many calls a turn takes. Raises what the call raises."""
    first = _time_calls(call, 1)
    seconds = min(_time_calls(call, 1) for _ in range(WARM - 1))
    return first, max(1, min(_MOST_CALLS, math.ceil(_SECONDS_OF_TURN / max(seconds, 1e-9))))


def time_in_rounds(
    calls: Mapping[str, tuple[Call, int]], seconds: float
) -> tuple[dict[str, Spread], int]:
    """The spread of the seconds of one call of each, and the rounds that fit into so many seconds.

    `calls` have with them how many a turn takes. Each round begins with the next of them.
    """
    taken: dict[str, list[float]] = {name: [] for name in calls}
    late, rounds = perf_counter() + seconds, 0
    with without_collection():
        while rounds < _LEAST or (rounds < _MOST and perf_counter() < late):
            for name in _turn(list(calls), rounds):
                call, count = calls[name]
                taken[name].append(_time_calls(call, count) / count)
            rounds += 1
    return {name: find_spread(each) for name, each in taken.items()}, rounds


def find_spread(seconds: Sequence[float]) -> Spread:
    """The median, and the quartiles around it, of two or more."""
    low, median, high = quantiles(seconds, n=4, method="inclusive")
    return Spread(median, low, high)


@contextmanager
def without_collection() -> Iterator[None]:
    """Python collects no garbage meanwhile."""
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _turn(names: Sequence[str], by: int) -> Sequence[str]:
    first = by % len(names) if names else 0
    return [*names[first:], *names[:first]]


def _time_calls(call: Call, count: int) -> float:
    with torch.no_grad():
        started = perf_counter()
        for _ in range(count):
            call()
        return perf_counter() - started
