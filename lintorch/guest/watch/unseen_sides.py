"""Sizes on the other side of a comparison that came out alike at every size a model was run at."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence

from lintorch.guest.watch.answered_sizes import (
    Comparison,
    answer,
    find_unanswered,
    number_comparisons,
)
from lintorch.guest.watch.multiple_sizes import list_multiples
from lintorch.guest.watch.size_bounds import SizeBound
from lintorch.record.runs import ModelRun

_BEYOND = 1.15
"""How far beyond the point where an answer changes: sizes are rounded, and sides need not grow alike."""
_LARGEST_FACTOR, _SMALLEST_FACTOR = 256.0, 1 / 16
"""How many times as large or small as at first a size may become."""
_FAR = 4.0
"""From how many times as large on one of several sizes is tried alone."""
_LEAST_GROWTH = 0.1
"""The power of a size from which on a number depends on it."""
_LEAST = 2
"""A size of one is taken for always one by exporters."""


def suggest_sizes_beyond(runs: Sequence[ModelRun]) -> Iterator[tuple[Hashable, dict[str, int]]]:
    """Comparisons with one answer in all runs, each with sizes at which it may have the other."""
    if not runs:
        return
    first, unseen = runs[0], find_unanswered(runs)
    by_run = [dict(number_comparisons(run)) for run in runs]
    asked = ((key, event) for key, event in by_run[0].items() if key in unseen)
    for key, event in sorted(asked, key=lambda pair: isinstance(pair[1], SizeBound)):
        if isinstance(event, SizeBound) and not answer(event):
            continue  # it is beyond at all sizes, and what is smaller would mostly vanish
        again = [
            (run.sizes, each[key]) for run, each in zip(runs, by_run, strict=True) if key in each
        ]
        for names in _list_changed_names(first.sizes, [sizes for sizes, _ in again]):
            factor = _find_crossing(event, names, first.sizes, again[1:])
            if factor is not None:
                yield from ((key, each) for each in _scale_alone(event, names, again, factor))
                yield key, _scale_sizes(first.sizes, names, factor)
            for sizes in (*_turn_sides(event, names, again), *list_multiples(event, names, again)):
                yield key, sizes


def _list_changed_names(
    first: Mapping[str, int], others: Sequence[Mapping[str, int]]
) -> list[tuple[str, ...]]:
    """The groups of names that were changed together, each once."""
    groups = (tuple(n for n in sizes if sizes[n] != first.get(n)) for sizes in others)
    return [group for group in dict.fromkeys(groups) if group]


def _scale_alone(
    event: Comparison,
    names: tuple[str, ...],
    again: Sequence[tuple[Mapping[str, int], Comparison]],
    factor: float,
) -> Iterator[dict[str, int]]:
    """Far larger sizes of the one name, of several that grow together, that a size follows, where one does.

    All of them so large would take too long.
    """
    first = again[0][0]
    for name in names if len(names) > 1 and factor > _FAR else ():
        others = [(at[name] / first[name], other.left) for at, other in again]
        if all(left == event.left * scale for scale, left in others):
            yield _scale_sizes(first, (name,), factor)


def _turn_sides(
    event: Comparison,
    names: tuple[str, ...],
    again: Sequence[tuple[Mapping[str, int], Comparison]],
) -> Iterator[dict[str, int]]:
    """Where both sides of a comparison follow sizes that grow together: two of these, as run, exchanged.

    No growth makes an image upright that lies. What is to be equal is made so.
    """
    for sizes, other in again[1:] if len(names) > 1 else ():
        *_, one, last = names
        depends = event.left != other.left and event.right != other.right
        if depends and sizes[one] != sizes[last]:
            equal = event.operator in ("==", "!=")
            yield {**sizes, one: sizes[last], last: sizes[last if equal else one]}


def _find_crossing(
    event: Comparison,
    names: tuple[str, ...],
    first: Mapping[str, int],
    again: Sequence[tuple[Mapping[str, int], Comparison]],
) -> float | None:
    """By what the sizes are to be multiplied for another answer; None where they do not decide it."""
    for sizes, other in again:
        if tuple(n for n in sizes if sizes[n] != first.get(n)) != names:
            continue
        scale = math.prod(sizes[n] / first[n] for n in names) ** (1 / len(names))
        growth = [
            _measure_growth(before, after, scale)
            for before, after in ((event.left, other.left), (event.right, other.right))
        ]
        faster = growth[0] - growth[1]
        if math.isnan(faster) or abs(faster) < _LEAST_GROWTH:
            continue
        factor: float = (event.right / event.left) ** (1 / faster)
        factor *= _go_beyond(event, factor, faster)
        if _SMALLEST_FACTOR <= factor <= _LARGEST_FACTOR:
            return factor
    return None


def _go_beyond(event: Comparison, factor: float, faster: float) -> float:
    """One for what is to be equal; else a bit more where the sizes grow, and less where they shrink.

    `faster` is by how much the left side grows faster than the right.
    """
    if event.operator in ("==", "!=") and event.left != event.right:
        return 1.0
    grows = factor > 1 or (factor == 1 and answer(event, faster, 0) != answer(event))
    return _BEYOND if grows else 1 / _BEYOND


def _measure_growth(first: float, other: float, scale: float) -> float:
    """The power of the sizes with which a number grows; not a number where it is none."""
    if first <= 0 or other <= 0:
        return math.nan
    return math.log(other / first) / math.log(scale)


def _scale_sizes(first: Mapping[str, int], names: tuple[str, ...], factor: float) -> dict[str, int]:
    scaled = {name: max(_LEAST, round(first[name] * factor)) for name in names}
    return {**first, **scaled}
