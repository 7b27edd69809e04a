"""What a model is fed gets as many axes as its error asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lintorch.guest.feed.guess_inputs import Guess, numbers


def rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    yield from at_rank(guess, max(numbers(match)[:2] if match.re.groups > 1 else numbers(match)))


def first_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    yield from at_rank(guess, numbers(match)[0])


def second_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    got, want = numbers(match)[:2]
    yield from at_rank(guess, want, got=got)


def more_axes(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    lowest, wanted = int(match[1]), int(match[2])
    yield from at_rank(guess, max(-lowest, wanted + 1 if wanted >= 0 else -wanted))


def at_rank(guess: Guess, rank: int, channels: int = 0, got: int = 0) -> Iterator[Guess]:
    """The inputs that have another rank, each at this rank; all of them, then one by one.

    Only those of the rank that the message `got` where there are such.
    """
    wrong = [n for n, given in enumerate(guess.inputs) if len(given.shape) != rank]
    wrong = [n for n in wrong if len(guess.inputs[n].shape) == got] or wrong
    for places in [wrong, *([n] for n in wrong if len(wrong) > 1)]:
        for shape in _shapes(rank, channels or (guess.channels() if places else 0)):
            changed = guess
            for number in places:
                changed = changed.with_input(number, replace(guess.inputs[number], shape=shape))
            if places:
                yield changed


def _shapes(rank: int, channels: int) -> Iterator[tuple[int | str, ...]]:
    if rank == 1:
        yield ("batch",)
    elif rank == 2:
        yield ("batch", channels)
    elif rank == 3:
        yield ("batch", "sequence", channels)
        yield ("batch", channels, "length")
    elif rank == 4:
        yield ("batch", channels, "height", "width")
        yield ("batch", "height", "width", channels)
    elif rank == 5:
        yield ("batch", channels, "depth", "height", "width")
        yield ("batch", 4, channels, "height", "width")
