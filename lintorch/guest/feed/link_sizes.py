"""Sizes in the shapes of inputs that are as big as one with a name, and may have to be that size."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
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


def link_names(guess: Guess, name: str, held: Collection[str]) -> Iterator[Guess]:
    """The same inputs with this name in the place of another one of those `held` that is as big: steps and their mask."""
    for other in held:
        spelled = any(re.search(rf"\b{re.escape(other)}\b", each.value) for each in guess.plain)
        longest = any(given.longest == other for given in guess.inputs)
        if other == name or guess.sizes[other] != guess.sizes[name] or spelled or longest:
            continue
        inputs = (
            replace(given, shape=tuple(name if each == other else each for each in given.shape))
            for given in guess.inputs
        )
        sizes = {each: size for each, size in guess.sizes.items() if each != other}
        yield replace(guess, inputs=tuple(inputs), sizes=sizes)
