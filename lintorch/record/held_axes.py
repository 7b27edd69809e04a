"""Axes of inputs whose size no change of the named sizes changes by itself, or not by much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lintorch.record.models import FedArgument, Input

Axis = tuple[int, int]
"""The how-manieth of what is fed, from 0 on, and the axis of it."""


def list_held_axes(inputs: Sequence[FedArgument]) -> list[Axis]:
    """Those with a number for a size, and those with a name that stands at another axis before."""
    held = []
    seen: set[str] = set()
    for axis, size in walk_axes(inputs):
        if isinstance(size, int) or size in seen:
            held.append(axis)
        else:
            seen.add(size)
    return held


def list_near_axes(
    inputs: Sequence[FedArgument], sizes: Mapping[str, int], others: Iterable[Mapping[str, int]]
) -> list[Axis]:
    """Of each named size that is nowhere twice or half of what it is at first: the first axis."""
    tried = list(others)
    near = [
        name
        for name, size in sizes.items()
        if not any(at[name] >= 2 * size or 2 * at[name] <= size for at in tried)
    ]
    first = {size: axis for axis, size in reversed([*walk_axes(inputs)])}
    return [first[name] for name in near if name in first]


def walk_axes(inputs: Sequence[FedArgument]) -> Iterator[tuple[Axis, int | str]]:
    """Every axis of every tensor, with the number or name that its size is."""
    for number, given in enumerate(inputs):
        for place, size in enumerate(given.shape if isinstance(given, Input) else ()):
            yield (number, place), size


def find_size(inputs: Sequence[FedArgument], sizes: Mapping[str, int], axis: Axis) -> int:
    """How big an input is along an axis."""
    size = dict(walk_axes(inputs))[axis]
    return sizes[size] if isinstance(size, str) else size
