"""Guesses that follow what a file itself feeds its model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from torch import nn

from lintorch.guest.construct.parameters import list_positional_parameters
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.record.models import Input

_AXIS_NAMES = {
    (2, False): ("batch", "sequence"),
    (4, True): ("batch", "", "height", "width"),
    (5, True): ("batch", "", "depth", "height", "width"),
}
"""Names of the axes that commonly vary, by the rank of a tensor and whether it holds fractions."""
_SMALL_SIDE = 64
_BIG_SIDE = 128
"""Pixels: a side above the one is also tried at the other."""


def follow_example(module: nn.Module, fed: tuple[tuple[str, Input], ...]) -> Iterator[Guess]:
    """The same inputs, then smaller ones where they are big images."""
    named = _name_inputs(module, fed)
    if not named:
        return
    guess = _name_sizes(named)
    small = {
        name: _SMALL_SIDE
        for name, size in guess.sizes.items()
        if name in ("height", "width") and size > _BIG_SIDE
    }
    yield guess
    if small:
        yield guess.with_sizes(**small)
    yield Guess(tuple(named), {})


def _name_inputs(module: nn.Module, fed: tuple[tuple[str, Input], ...]) -> list[Input]:
    """The inputs that are for `forward`'s leading parameters, by their names."""
    names = [parameter.name for parameter in list_positional_parameters(module)]
    pairs = takewhile(lambda pair: pair[0][0] in ("", pair[1]), zip(fed, names, strict=False))
    return [replace(given, name=name) for (_, given), name in pairs]


def _name_sizes(named: list[Input]) -> Guess:
    """The inputs with names for sizes; a name stands for one size in all of them."""
    batch = named[0].shape[0] if named[0].shape else 0
    sizes: dict[str, int] = {}
    inputs = []
    for given in named:
        names = _AXIS_NAMES.get((len(given.shape), given.dtype.startswith("float")), ("batch",))
        shape = list(given.shape)
        for axis, name in enumerate(names[: len(shape)]):
            size = shape[axis]
            if not isinstance(size, int) or not name or (name == "batch" and size != batch):
                continue
            if sizes.setdefault(name, size) == size:
                shape[axis] = name
        inputs.append(replace(given, shape=tuple(shape)))
    if "batch" in sizes:
        sizes["batch"] = max(2, sizes["batch"])
    return Guess(tuple(inputs), sizes)
