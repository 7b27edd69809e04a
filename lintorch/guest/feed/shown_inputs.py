"""Guesses that follow what a file itself feeds its model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from torch import nn

from lintorch.guest.construct.parameters import positional
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.record.trace import Input

_AXES = {
    (2, False): ("batch", "sequence"),
    (4, True): ("batch", "", "height", "width"),
    (5, True): ("batch", "", "depth", "height", "width"),
}
"""Names of the axes that commonly vary, by the rank of a tensor and whether it holds fractions."""
_SMALL = 64
_BIG = 128


def like(module: nn.Module, fed: tuple[tuple[str, Input], ...]) -> Iterator[Guess]:
    """The same inputs: smaller where they are big images, then as they are."""
    named = _named(module, fed)
    if not named:
        return
    guess = _varying(named)
    small = {
        name: _SMALL
        for name, size in guess.sizes.items()
        if name in ("height", "width") and size > _BIG
    }
    if small:
        yield guess.resized(**small)
    yield guess
    yield Guess(tuple(named), {})


def _named(module: nn.Module, fed: tuple[tuple[str, Input], ...]) -> list[Input]:
    """The inputs that are for `forward`'s leading parameters, by their names."""
    names = [parameter.name for parameter in positional(module)]
    pairs = takewhile(lambda pair: pair[0][0] in ("", pair[1]), zip(fed, names, strict=False))
    return [replace(given, name=name) for (_, given), name in pairs]


def _varying(named: list[Input]) -> Guess:
    """The inputs with names for sizes; a name stands for one size in all of them."""
    batch = named[0].shape[0] if named[0].shape else 0
    sizes: dict[str, int] = {}
    inputs = []
    for given in named:
        names = _AXES.get((len(given.shape), given.dtype.startswith("float")), ("batch",))
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
