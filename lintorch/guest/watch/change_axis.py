"""The model run with one axis of one input changed that no named size changes: whether it takes that, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from lintorch.guest.watch.record_run import WatchedModel, record_once
from lintorch.record.held_axes import Axis, find_size, walk_axes
from lintorch.record.models import FedArgument, Input
from lintorch.record.runs import ModelRun

_MOST_ELEMENTS = 4_000_000
"""Numbers in an input that is made larger."""


def record_changed_axis(
    subject: WatchedModel, sizes: Mapping[str, int], axis: Axis
) -> ModelRun | None:
    """The first run that comes to its end with the axis changed; one with an error where none does.

    None where no other size could be tried.
    """
    error = ""
    for inputs in _change_axis(subject.inputs, sizes, axis):
        events, error = record_once(replace(subject, inputs=inputs), sizes)
        if not error:
            return ModelRun(dict(sizes), tuple(events), axis=axis)
    return ModelRun(dict(sizes), (), error, axis) if error else None


def _change_axis(
    inputs: tuple[FedArgument, ...], sizes: Mapping[str, int], axis: Axis
) -> Iterator[tuple[FedArgument, ...]]:
    """The inputs with another size along the axis; where it is a number, also along all that are as long.

    A square stays one when it is taken four times.
    """
    size = find_size(inputs, sizes, axis)
    every = dict(walk_axes(inputs))
    alike = [other for other in every if find_size(inputs, sizes, other) == size]
    number = isinstance(every[axis], int)
    others = dict.fromkeys(
        (size + 1, 2 * size, 4 * size, size // 2) if number else (size + 1, 2 * size)
    )
    for axes, other in product([[axis], alike] if number and len(alike) > 1 else [[axis]], others):
        changed = _resize_axes(inputs, axes, other)
        most = max(_MOST_ELEMENTS, _count_numbers(inputs, sizes))
        if other > 1 and _count_numbers(changed, sizes) <= most:
            yield changed


def _resize_axes(
    inputs: tuple[FedArgument, ...], axes: Sequence[Axis], size: int
) -> tuple[FedArgument, ...]:
    return tuple(
        replace(
            given,
            shape=tuple(size if (n, at) in axes else old for at, old in enumerate(given.shape)),
        )
        if isinstance(given, Input)
        else given
        for n, given in enumerate(inputs)
    )


def _count_numbers(inputs: Sequence[FedArgument], sizes: Mapping[str, int]) -> int:
    """Of the largest input."""
    shapes = [given.shape for given in inputs if isinstance(given, Input)]
    return max(prod(sizes[n] if isinstance(n, str) else n for n in shape) for shape in shapes)
