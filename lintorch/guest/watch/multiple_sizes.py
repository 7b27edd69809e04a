"""Sizes that may leave no remainder where those that a model was run at leave one, and the reverse."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence

from lintorch.guest.watch.answered_sizes import (
    Comparison,
    find_unanswered,
    is_of_remainder,
    number_comparisons,
    read_answers,
)
from lintorch.record.runs import ModelRun

_MULTIPLES = (2, 4)
_PARTS = (2, 4, 8)
_DOUBLINGS = 3
"""How many powers of two times the first size are tried where a remainder meets a comparison."""


def list_multiples(
    event: Comparison,
    names: tuple[str, ...],
    again: Sequence[tuple[Mapping[str, int], Comparison]],
) -> Iterator[dict[str, int]]:
    """Where a size leaves a remainder in all runs: its multiples, which may leave none.

    Where it leaves none in any, and all sizes are multiples: what lies between these.
    """
    left = [other.left for sizes, other in again if any(sizes[n] != again[0][0][n] for n in names)]
    if is_of_remainder(event) and {*left} - {event.left, 0}:
        for times in _MULTIPLES if event.left else ():
            yield {n: times * s if n in names else s for n, s in again[0][0].items()}
    if is_of_remainder(event) and not any((event.left, *left)):
        yield from _list_between(names, [sizes for sizes, _ in again])


def _list_between(
    names: tuple[str, ...], runs: Sequence[Mapping[str, int]]
) -> Iterator[dict[str, int]]:
    """The first sizes, those of these names less by parts of what they all are multiples of."""
    step = math.gcd(*(sizes[name] for sizes in runs for name in names))
    for part in _PARTS if step > max(_PARTS) else ():
        yield {n: s - step // part if n in names else s for n, s in runs[0].items()}


def suggest_multiples_beyond(
    runs: Sequence[ModelRun],
) -> Iterator[tuple[Hashable, dict[str, int]]]:
    """Remainders that were 0 on one side only of another comparison of the same layer.

    Each with multiples of the first size that lie on the other side.
    """
    if not runs:
        return
    seen = tuple(runs)  # more are added while these are tried
    unseen = find_unanswered(seen)
    first, answers = seen[0], [read_answers(run) for run in seen]
    for key, event in number_comparisons(first):
        if not is_of_remainder(event) or event.left:
            continue
        for run, answered in zip(seen, answers, strict=True):
            for beside in answered:
                if (key, beside) in unseen and answered[beside] != answers[0].get(beside):
                    for sizes in _list_multiples_at(first.sizes, run.sizes):
                        yield (key, beside), sizes


def _list_multiples_at(
    first: Mapping[str, int], there: Mapping[str, int]
) -> Iterator[dict[str, int]]:
    """The first sizes, those that are changed there doubled until they are as large."""
    changed = [name for name, size in there.items() if size != first[name]]
    for doubled in range(1, _DOUBLINGS + 1):
        sizes = {n: s << doubled if n in changed else s for n, s in first.items()}
        if changed and all(sizes[name] >= there[name] > first[name] for name in changed):
            yield sizes
