"""Numbers in the shapes of inputs that are as big as a size with a name, and may have to be that size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lintorch.guest.feed.guess_inputs import Guess


def link_numbers(guess: Guess, name: str) -> Iterator[Guess]:
    """The same inputs with this name in the place of numbers as big: of all inputs, then of each."""
    size = guess.sizes[name]
    found = [n for n, given in enumerate(guess.inputs) if size in given.shape]
    for numbers in [found, *([n] for n in found if len(found) > 1)]:
        linked = guess
        for number in numbers:
            given = guess.inputs[number]
            shape = tuple(name if each == size else each for each in given.shape)
            linked = linked.with_input(number, replace(given, shape=shape))
        if numbers:
            yield replace(linked, sizes=guess.sizes, followed=guess.followed)
