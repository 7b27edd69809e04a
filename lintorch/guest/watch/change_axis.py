"""The model run with one axis of an input changed that no other run changes, or not by much: does it take that?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from lintorch.guest.watch.record_run import WatchedModel, record_once
from lintorch.record.events import OperatorCall, RunEvent, SizeQuestion, TensorUse
from lintorch.record.held_axes import Axis, find_size, list_held_axes, walk_axes
from lintorch.record.models import FedArgument, Input
from lintorch.record.runs import ModelRun

_MOST_NUMBERS = 4_000_000
"""Numbers in an input, for it to be made so large."""
_POOLS = (f"adaptive_{kind}_pool{n}d" for kind in ("avg", "max") for n in (1, 2, 3))
_CELLS = ("lstm", "gru", "rnn_tanh", "rnn_relu")
_DECIDED = frozenset(
    (
        *_POOLS,
        *_CELLS,
        *(f"{name}_cell" for name in _CELLS),
        *("interpolate", "affine_grid", "view", "reshape"),
    )
)
"""Operators of which rules say that they go wrong where a size varies."""


def is_about_size(event: RunEvent) -> bool:
    """Whether an event may be withdrawn as the same at every size: a question, or an operator that a size decides."""
    if isinstance(event, OperatorCall):
        return event.name.rpartition(".")[2] in _DECIDED
    return isinstance(event, SizeQuestion) or event.key is TensorUse.ITERATION


def record_changed_axis(
    subject: WatchedModel, sizes: Mapping[str, int], axis: Axis
) -> ModelRun | None:
    """The first run that comes to its end with the axis changed; one with an error where none does.

    None where no other size could be tried.
    """
    error = ""
    for inputs, named in _change_axis(subject.inputs, sizes, axis):
        if _count_numbers(inputs, named) > max(_MOST_NUMBERS, _count_numbers(inputs, sizes)):
            continue
        events, error = record_once(replace(subject, inputs=inputs), named)
        if not error:
            about = tuple(event for event in events if is_about_size(event))
            return ModelRun(dict(sizes), about, axis=axis)
    return ModelRun(dict(sizes), (), error, axis) if error else None


def _change_axis(
    inputs: tuple[FedArgument, ...], sizes: Mapping[str, int], axis: Axis
) -> Iterator[tuple[tuple[FedArgument, ...], Mapping[str, int]]]:
    """Inputs and sizes with the axis changed, then with all that is as long.

    By much where it has a name, which a run has changed by little. A square stays one when it is
    taken four times.
    """
    size, every = find_size(inputs, sizes, axis), dict(walk_axes(inputs))
    alike = [other for other in every if find_size(inputs, sizes, other) == size]
    if axis not in list_held_axes(inputs):
        named = [name for name, first in sizes.items() if first == size]
        for names, factor in product([[str(every[axis])], named], (4, 2)):
            yield inputs, {**sizes, **dict.fromkeys(names, size * factor)}
        return
    number = isinstance(every[axis], int)
    others = (size + 1, 2 * size, 4 * size, size // 2) if number else (size + 1, 2 * size)
    several = [[axis], alike] if number and len(alike) > 1 else [[axis]]
    for axes, other in product(several, dict.fromkeys(others)):
        if other > 1:
            yield _resize_axes(inputs, axes, other), sizes


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
