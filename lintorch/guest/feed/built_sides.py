"""Sides in proportion to a shape that a model was built for: `Net(…, shape=(40, 48, 36))`, fed four times that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from torch import nn

from lintorch.guest.feed.guess_inputs import SPATIAL, Guess

_DIFFER = re.compile(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)")
_MOST_ELEMENTS = 16_000_000
"""Numbers in all inputs above which one sample alone is fed."""


def try_built_sides(guess: Guess, message: str, module: nn.Module) -> Iterator[Guess]:
    """The guess at sides that bear to a shape which the model keeps what its sides bear to the size in the message."""
    found = _DIFFER.search(message)
    names = [name for name in SPATIAL if name in guess.sizes]
    sides = {guess.sizes[name] for name in names}
    if found is None or len(names) < 2 or len(sides) != 1:
        return
    side, pair = sides.pop(), [int(number) for number in found.groups()]
    for kept, got in (pair, pair[::-1]):
        for shape in _list_shapes(module, len(names)):
            if kept in shape and got and side % got == 0 and got not in shape:
                fitting = {
                    name: own * (side // got) for name, own in zip(names, shape, strict=True)
                }
                fitted = guess.with_sizes(**fitting)
                yield (
                    fitted
                    if fitted.count_elements() < _MOST_ELEMENTS
                    else fitted.with_sizes(batch=1)
                )


def _list_shapes(module: nn.Module, axes: int) -> Iterator[tuple[int, ...]]:
    """The shapes of so many sides that a model and its parts keep as attributes."""
    seen = set()
    for part in module.modules():
        for value in vars(part).values():
            shape = _read_shape(value)
            if len(shape) == axes and shape not in seen:
                seen.add(shape)
                yield shape


def _read_shape(value: Any) -> tuple[int, ...]:
    """The sides in a tuple of whole numbers, which may be written as fractions; else ()."""
    if not isinstance(value, (tuple, list)) or len(set(value if _is_plain(value) else ())) < 2:
        return ()
    whole = all(float(number).is_integer() and number > 1 for number in value)
    return tuple(int(number) for number in value) if whole else ()


def _is_plain(value: tuple[Any, ...] | list[Any]) -> bool:
    return all(type(number) in (int, float) for number in value)
