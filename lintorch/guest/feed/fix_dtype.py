"""What a model is fed becomes whole numbers, or fractions, or smaller numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lintorch.guest.feed.guess_inputs import SPATIAL, Guess


def make_integers(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Whole numbers where fractions were given; images last, which are no indices."""
    wrong = [n for n, given in enumerate(guess.inputs) if given.dtype.startswith("float")]
    wrong.sort(key=lambda n: len(guess.inputs[n].shape) > 3)
    for numbers in [*([n] for n in wrong), *([wrong] if len(wrong) > 1 else [])]:
        for shape in (("batch", "sequence"), None, ("batch",)):
            changed = guess
            for number in numbers:
                given = guess.inputs[number]
                ids = replace(given, dtype="int64", shape=shape or given.shape, low=0, high=2)
                changed = changed.with_input(number, ids)
            yield changed


def make_fractions(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Fractions where whole numbers were given."""
    wrong = [n for n, given in enumerate(guess.inputs) if not given.dtype.startswith("float")]
    for numbers in [*([n] for n in wrong), *([wrong] if len(wrong) > 1 else [])]:
        changed = guess
        for number in numbers:
            given = guess.inputs[number]
            changed = changed.with_input(number, replace(given, dtype="float32", low=0, high=0))
        yield changed


def make_booleans(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """True and false where numbers were given: one of the inputs, the last first; of a mask beside a sequence, one a step."""
    steps = guess.inputs[0].shape[:2] if len(guess.inputs[0].shape) == 3 else ()
    for number in reversed(range(len(guess.inputs))):
        if (given := guess.inputs[number]).dtype != "bool":
            told = replace(given, dtype="bool", low=0, high=0)
            if number and steps and "mask" in given.name.lower() and len(given.shape) > 2:
                yield guess.with_input(number, replace(told, shape=steps))
            yield guess.with_input(number, told)


def make_masks(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """True and false for one of the inputs that are called masks, where it picks places."""
    for number, given in enumerate(guess.inputs):
        if "mask" in given.name.lower() and given.dtype != "bool":
            told = replace(given, dtype="bool", low=0, high=0)
            yield guess.with_input(number, told)


def bound_fractions(guess: Guess) -> Iterator[Guess]:
    """Fractions between 0 and 1, in one input or all: parts of a day, of a side or of a table, that become indices."""
    wrong = [n for n, g in enumerate(guess.inputs) if g.dtype.startswith("float") and not g.high]
    for numbers in [*([n] for n in wrong), *([wrong] if len(wrong) > 1 else [])]:
        changed = guess
        for number in numbers:
            changed = changed.with_input(number, replace(guess.inputs[number], low=0, high=2))
        yield changed


def lower_integers(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Smaller whole numbers, in all inputs or in one, of fractions too, which may be used as indices.

    Then shorter sequences. What has features or maps is rather fractions that are made indices.
    """
    deep = any(given.dtype.startswith("float") and len(given.shape) > 2 for given in guess.inputs)
    if deep:
        yield from bound_fractions(guess)
    for high in (8, 2, 1):
        least = {n: 1 + given.dtype.startswith("float") for n, given in enumerate(guess.inputs)}
        wrong = [n for n, given in enumerate(guess.inputs) if given.high > high >= least[n]]
        for numbers in [wrong, *([n] for n in wrong if len(wrong) > 1)]:
            lowered = tuple(
                replace(given, high=high) if number in numbers else given
                for number, given in enumerate(guess.inputs)
            )
            if numbers:
                yield replace(guess, inputs=lowered)
    for number, given in enumerate(guess.inputs if len(guess.inputs) > 1 else ()):
        if given.dtype.startswith("float"):
            ids = replace(given, dtype="int64", low=0, high=2)
            yield guess.with_input(number, ids)
    if not deep:
        yield from bound_fractions(guess)
    sides = {name: size for name, size in guess.sizes.items() if name in SPATIAL}
    for times in (2, 4, 8) if sides and "out of bounds for dimension" in match.string else ():
        yield guess.with_sizes(**{name: max(1, size // times) for name, size in sides.items()})
    if guess.sizes.get("sequence", 0) > 4:
        yield guess.with_sizes(sequence=guess.sizes["sequence"] // 2)
