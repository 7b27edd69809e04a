"""One size of what a model is fed becomes another, in place or in proportion."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.guest.feed.guess_inputs import Guess


def replace_size(guess: Guess, got: int, want: int, axis: int) -> Iterator[Guess]:
    """Inputs of `got` along an axis get `want` there: all of them, then one by one."""
    found = [
        n
        for n, given in enumerate(guess.inputs)
        if len(given.shape) > max(1, axis) and guess.size_along(given, axis) == got
    ]
    for numbers in [found, *([n] for n in found if len(found) > 1)]:
        changed = guess
        for number in numbers:
            changed = changed.with_size(number, axis, want)
        if numbers and want > 0:
            yield changed


_LONGEST = 256
"""Rows of an axis that is gone through row by row, at most."""


def lengthen_indexed_axis(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """An axis of which the row just behind the last is asked for gets twice as many: `frames[:, t]` in a loop.

    Where no input has such an axis there, as what is asked was turned, any that is as long.
    """
    index, axis, size = map(int, match.groups())
    if index != size or 2 * size > _LONGEST:
        return
    found = [*replace_size(guess, size, 2 * size, axis)]
    for other in range(1, 5) if not found else ():
        found += replace_size(guess, size, 2 * size, other)
    yield from found


def scale_channels(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Channels in proportion, where `got` was worked out from them: of all inputs, then of each."""
    if got < 1 or want < 1:
        return
    together = guess
    for number, given in enumerate(guess.inputs):
        have = guess.size_along(given, 1) if len(given.shape) > 1 else 0
        if have and have * want % got == 0 and isinstance(given.shape[1], int):
            together = together.with_size(number, 1, have * want // got)
    if together != guess:
        yield together
    for number, given in enumerate(guess.inputs):
        have = guess.size_along(given, 1) if len(given.shape) > 1 else 0
        if have and have != got and have * want % got == 0 and isinstance(given.shape[1], int):
            yield guess.with_size(number, 1, have * want // got)
