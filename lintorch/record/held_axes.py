"""Axes of inputs whose size no change of the named sizes changes by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lintorch.record.models import Input

Axis = tuple[int, int]
"""The how-manieth input, from 0 on, and the axis of it."""


def list_held_axes(inputs: Sequence[Input]) -> list[Axis]:
    """Those with a number for a size, and those with a name that stands at another axis before."""
    held = []
    seen: set[str] = set()
    for number, given in enumerate(inputs):
        for place, size in enumerate(given.shape):
            if isinstance(size, int) or size in seen:
                held.append((number, place))
            else:
                seen.add(size)
    return held


def find_size(inputs: Sequence[Input], sizes: Mapping[str, int], axis: Axis) -> int:
    """How big an input is along an axis."""
    size = inputs[axis[0]].shape[axis[1]]
    return sizes[size] if isinstance(size, str) else size
