"""What a model compares its output with becomes what its loss asks for: a mask of one channel, one class a sample."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lintorch.guest.feed.guess_inputs import Guess
from lintorch.record.models import Input

_TARGETS = re.compile(r"(^|_)(targets?|labels?|golds?|tags?|y)(_|$)")


def fit_target(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """An input as big as the target of a loss with the sizes of what it is compared with, where these are numbers of channels."""
    got, wanted = (_read_shape(group) for group in match.groups())
    if len(got) != len(wanted):
        return
    for number in _find_shaped(guess, got):
        given = guess.inputs[number]
        shape = tuple(
            name if was == now else now
            for name, was, now in zip(given.shape, got, wanted, strict=True)
        )
        if shape[:1] == given.shape[:1]:
            yield guess.with_input(number, replace(given, shape=shape))


def lose_target_axes(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """One class for each row that is picked, where classes of classes were given: all whole numbers of that shape lose an axis."""
    got = _read_shape(match[2])
    numbers = [n for n in _find_shaped(guess, got) if "int" in guess.inputs[n].dtype]
    if len(got) < 2 or not numbers:
        return
    inputs = (
        replace(given, shape=given.shape[:-1]) if number in numbers else given
        for number, given in enumerate(guess.inputs)
    )
    yield guess.with_inputs(tuple(inputs))


def class_each_row(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """One class for each row that a loss compares, of what is called a target: steps of all samples in one row."""
    for number, given in enumerate(guess.inputs):
        if _TARGETS.search(given.name):
            rows = replace(given, dtype="int64", shape=(int(match[1]),), low=0, high=2)
            yield guess.with_input(number, rows)


def _find_shaped(guess: Guess, shape: tuple[int, ...]) -> list[int]:
    """The inputs of this very shape, the last first."""
    found = [n for n, given in enumerate(guess.inputs) if _measure(guess, given) == shape]
    return found[::-1]


def _measure(guess: Guess, given: Input) -> tuple[int, ...]:
    return tuple(guess.size_along(given, axis) for axis in range(len(given.shape)))


def _read_shape(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))
