"""Sizes far from those that a model was fed first: smaller and larger, odd and even, sides equal and not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

Runs = Callable[[Mapping[str, int]], bool]
"""Whether a model runs at some sizes."""
_SPATIAL = ("depth", "height", "width")
_UNIT = 32
"""What the sides of most models are multiples of, where they have to be any."""
_MOST_WAYS = 2
"""Ways that are tried of making one of two inputs alone larger, or smaller."""
_SHORT = 32
"""A length up to which four more make it clearly longer: what rounding alone takes does not vary."""
_LEAST = 2
"""A size of one is taken for always one by exporters, and says nothing of others."""


def vary_sizes(
    sizes: Mapping[str, int], runs: Runs = lambda sizes: True
) -> tuple[dict[str, int], ...]:
    """All sizes, each time with one group of names changed: the batch; a larger and a smaller image.

    Of several ways to change a group the first with which `runs(sizes)` holds is taken; a group
    that cannot be changed is left out, and sides that cannot be changed together are changed alone:
    the width of a line of text, the time of a spectrogram. A size that another input has of its own, `height_mask`
    beside `height`, is larger alone, and smaller with that one.
    """
    found = []
    for group in group_names(sizes):
        varied = _vary_group(group, sizes, runs)
        for name in group if not varied and len(group) > 1 else ():
            varied += _vary_group((name,), sizes, runs)
        found += varied
    return tuple(found)


def _vary_group(
    group: tuple[str, ...], sizes: Mapping[str, int], runs: Runs
) -> list[dict[str, int]]:
    """All sizes, with these larger, and smaller; odd ones smaller where the larger could not be."""
    found = [*_take_first(({**sizes, **way} for way in _list_larger(group, sizes)), runs)]
    smaller = [{**sizes, **way} for way in _list_smaller_together(group, sizes)]
    if not any(_has_other_parity(group, sizes, each) for each in found):
        smaller.sort(key=lambda each: not _has_other_parity(group, sizes, each))
    return [*found, *_take_first(smaller, runs)]


def _has_other_parity(
    group: tuple[str, ...], sizes: Mapping[str, int], other: Mapping[str, int]
) -> bool:
    return all(other[name] % 2 != sizes[name] % 2 for name in group)


def may_differ(names: tuple[str, ...], sizes: Mapping[str, int], runs: Runs) -> bool:
    """Whether a model runs where sizes of these names are larger, and smaller, and all others are not."""
    larger, smaller = (
        islice(ways(names, sizes), _MOST_WAYS) for ways in (_list_larger, _list_smaller)
    )
    return all(any(runs({**sizes, **way}) for way in ways) for ways in (larger, smaller))


def may_grow(name: str, sizes: Mapping[str, int], runs: Runs) -> bool:
    """Whether a model runs where the size of this name is larger, and all others are not."""
    ways = islice(_list_larger((name,), sizes), _MOST_WAYS)
    return any(runs({**sizes, **way}) for way in ways)


def find_unvaried_sizes(
    sizes: Mapping[str, int], varied: Sequence[Mapping[str, int]]
) -> tuple[dict[str, int], ...]:
    """Of each group of names that could not be changed: the first change that was tried."""
    changed = {name for each in varied for name in each if each[name] != sizes[name]}
    left = (group for group in group_names(sizes) if not changed & {*group})
    return tuple(next(_list_larger(group, sizes)) for group in left)


def group_names(sizes: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Names that change together: the sides of one image or volume; each other name alone."""
    groups: dict[str, tuple[str, ...]] = {}
    for name in sizes:
        side, _, of = name.partition("_")
        key = f"sides {of}" if side in _SPATIAL else name
        groups[key] = (*groups.get(key, ()), name)
    return sorted(groups.values(), key=lambda group: group[0].partition("_")[0] in _SPATIAL)


def list_lighter_sizes(sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Ever smaller sizes for a model that is too heavy at these; the batch falls to two first, one size alone comes last."""
    batch = {"batch": min(2, sizes["batch"])} if "batch" in sizes else {}
    if batch and sizes["batch"] > 2:
        yield {**sizes, **batch}
    names = [name for name in sizes if name != "batch"]
    for part in (2, 4, 8):
        for fit in (_take_nearest_units, lambda size, part: size // part):
            smaller = {name: fit(sizes[name], part) for name in names}
            if smaller and all(_UNIT <= smaller[name] < sizes[name] for name in names):
                yield {**smaller, **batch}
    for name in names if len(names) > 1 else ():  # the others may have to be as they are
        quarter = _take_nearest_units(sizes[name], 4)
        if _UNIT <= quarter < sizes[name]:
            yield {**sizes, **batch, name: quarter}


def _take_nearest_units(size: int, part: int) -> int:
    """About so great a part of a size, as far beyond a multiple of eight as the size itself is."""
    return max(1, round(size / part / _UNIT)) * _UNIT + size % 8


def _take_first(ways: Iterable[dict[str, int]], runs: Runs) -> Iterator[dict[str, int]]:
    tried: list[dict[str, int]] = []
    for way in ways:
        if way not in tried and runs(way):
            yield way
            return
        tried.append(way)


def _list_larger(group: tuple[str, ...], sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    if group == ("batch",):
        yield {"batch": sizes["batch"] + 1}
        return
    sides = group[0].partition("_")[0] in _SPATIAL
    pairs = ((2, 2.5), (1.5, 2)) if sides else ((4, 4), (2, 2))
    unequal = pairs if len(group) > 1 else ()
    for first, last in (*unequal, *((first, first) for first, _ in pairs)):
        factors = [first] * (len(group) - 1) + [last]
        for scale in (_scale_to_other_parity, _add_units):
            yield _scale(group, sizes, factors, scale)
    yield {name: 2 * sizes[name] for name in group}
    if not sides and all(sizes[name] <= _SHORT for name in group):
        yield {name: sizes[name] + 4 for name in group}


def _list_smaller_together(
    group: tuple[str, ...], sizes: Mapping[str, int]
) -> Iterator[dict[str, int]]:
    beside = {name: own for name in sizes for own in group if name.startswith(f"{own}_")}
    if any(group[0].startswith(f"{name}_") for name in sizes):
        return
    for way in _list_smaller(group, sizes) if beside else ():
        yield way | {name: way[own] for name, own in beside.items()}
    yield from _list_smaller(group, sizes)


def _list_smaller(group: tuple[str, ...], sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    if group == ("batch",):
        return
    for first, last in ((0.5, 0.75), (0.5, 0.5), (0.75, 0.75)) if len(group) > 1 else ((0.5, 0.5),):
        factors = [first] * (len(group) - 1) + [last]
        for scale in (_scale_to_part, _remove_units, _scale_to_other_parity):
            smaller = _scale(group, sizes, factors, scale)
            if all(_LEAST <= smaller[name] < sizes[name] for name in group):
                yield smaller


def _scale(
    group: tuple[str, ...],
    sizes: Mapping[str, int],
    factors: Sequence[float],
    scale: Callable[[int, float], int],
) -> dict[str, int]:
    pairs = zip(group, factors, strict=True)
    return {name: scale(sizes[name], factor) for name, factor in pairs}


def _scale_to_other_parity(size: int, factor: float) -> int:
    """An odd size for an even one, and the reverse: halves, and rounding, go wrong there."""
    scaled = int(size * factor)
    return scaled + (scaled % 2 == size % 2)


def _add_units(size: int, factor: float) -> int:
    """Larger by what keeps patches, windows and strides whole."""
    unit = min(_UNIT, size)
    return size + unit * max(1, round(size * (factor - 1) / unit))


def _remove_units(size: int, factor: float) -> int:
    return size - _UNIT * max(1, round(size * (1 - factor) / _UNIT))


def _scale_to_part(size: int, factor: float) -> int:
    return int(size * factor)
