"""What a model is fed gets the channels or features that its error asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.guest.feed.fix_rank import at_rank
from lintorch.guest.feed.fix_sides import in_proportion
from lintorch.guest.feed.guess_inputs import Guess, numbers
from lintorch.guest.feed.resize_axis import scaled, swapped


def channels(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """`want` channels instead of `got`, of the input itself or in proportion."""
    want, got = numbers(match)[-2:]
    yield from swapped(guess, got, want, axis=1)
    yield from scaled(guess, got, want)


def vector(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    got, want = numbers(match)[:2]
    yield from swapped(guess, got, want, axis=1)
    yield from swapped(guess, got, want, axis=-1)


def group_norm(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    want, *shape = numbers(match)
    yield from swapped(guess, shape[1], want, axis=1)


def groups(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    *shape, groups = numbers(match)
    yield from swapped(guess, shape[1], 2 * groups, axis=1)


def features(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """A linear layer met `got` features where it takes `want`."""
    got, want = numbers(match)[1:3]
    yield from swapped(guess, got, want, axis=-1)
    for number, given in enumerate(guess.inputs):
        if len(given.shape) == 3 and guess.size(given, 1) == got:
            yield guess.with_size(number, 1, want)
    yield from in_proportion(guess, got, want)
    yield from at_rank(guess, 2, want)


def last(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    want, got = numbers(match)[:2]
    yield from swapped(guess, got, want, axis=-1)


def normalized(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    want = [int(n) for n in re.findall(r"\d+", match[1])]
    got = [int(n) for n in re.findall(r"\d+", match[2])]
    yield from swapped(guess, got[-1], want[-1], axis=-1)
    if len(got) > 1:
        yield from swapped(guess, got[1], want[-1], axis=1)
    yield from at_rank(guess, 3, want[-1])
