"""What a model is fed becomes as big as its error asks for, or as is common."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import prod

from lintorch.guest.feed.guess_inputs import SIDES, SPATIAL, Guess, numbers
from lintorch.guest.feed.resize_axis import scaled, swapped

RUNNING = ("sequence", "length")
_MOST_TIMES = 4
_LEAST, _LARGEST = 8, 512
_LENGTHS = (16, 32, 64, 128, 256, 1024)


def other_sizes(guess: Guess, message: str) -> Iterator[Guess]:
    """The same inputs at sizes that the message names, or that are common."""
    yield from _numbers_named(guess, message)
    yield from _other_sides(guess)


def sizes_differ(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Two sizes that must be one: positions learned for another size, or inputs that must agree."""
    one, other = numbers(match)[:2]
    yield from _one_of_two(guess, one, other)
    for got, want in ((one, other), (other, one)):
        for name, size in guess.sizes.items():
            if size == got and name != "batch":
                yield guess.resized(**{name: want})
            elif size + 1 == got and want > 1 and name != "batch":
                yield guess.resized(**{name: want - 1})
        yield from swapped(guess, got, want, axis=-1)
        yield from swapped(guess, got, want, axis=1)
        yield from scaled(guess, got, want)
    for got, want in ((one, other), (one - 1, other - 1)):
        if got > 0 and want > 0:
            yield from in_proportion(guess, got, want)


def _one_of_two(guess: Guess, one: int, other: int) -> Iterator[Guess]:
    """Beside another image, an image so many times as big or small: a hint, a mask, a depth map."""
    images = [n for n, given in enumerate(guess.inputs) if given.shape[-2:] == SPATIAL[1:]]
    for number in images if len(images) > 1 and one and other else ():
        given = guess.inputs[number]
        for got, want in ((one, other), (other, one)):
            sides = tuple(guess.sizes[name] * want // got for name in SPATIAL[1:])
            if all(_LEAST <= side <= _LARGEST for side in sides) and want != got:
                shape = (*given.shape[:-2], *sides)
                yield guess.with_input(number, replace(given, shape=shape))


def sizes_joined(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Sides in proportion to two that must be one, then whatever else could make them so."""
    one, other = numbers(match)[:2]
    for got, want in ((one, other), (other, one)):
        sides = {n: round(s * want / max(1, got)) for n, s in guess.sizes.items() if n in SPATIAL}
        if sides and min(sides.values()) >= 8 and max(sides.values()) <= 1024:
            yield guess.resized(**sides)
    yield from sizes_differ(guess, match)


def bigger(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    grown = {n: s * 2 for n, s in guess.sizes.items() if n in SPATIAL and s < 512}
    longer = {n: s * 4 for n, s in guess.sizes.items() if n in RUNNING and s < 16384}
    if grown or longer:
        yield guess.resized(**grown, **longer)


def too_small(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Twice the sides of which a layer left nothing, where the message tells them."""
    given, left = (re.findall(r"\d+", text)[1:] for text in match.groups())
    names = [name for name in SPATIAL if name in guess.sizes]
    gone = [name for name, size in zip(names, left, strict=False) if size == "0"]
    if len(names) == len(given) == len(left) and gone:
        for factor in (2, 4, 8):
            yield guess.resized(**{name: guess.sizes[name] * factor for name in gone})


def divided(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Sides that patches of this size fill: the next one up, then sixteen of them.

    Where it is no side that is divided but what became of it, sides of thirty-two patches.
    """
    length, chunk = numbers(match)
    every = [name for name in guess.sizes if name in SPATIAL]
    sides = [name for name in every if guess.sizes[name] == length]
    if every and not sides and 32 * chunk <= _LARGEST:
        yield guess.resized(**dict.fromkeys(every, 32 * chunk))
    for fitting in (-(-length // chunk) * chunk, 16 * chunk) if sides and chunk else ():
        yield guess.resized(**dict.fromkeys(sides, fitting))
        yield guess.resized(**{sides[0]: fitting})


def sized(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The sides that the message asks for."""
    wanted = numbers(match)[:2]
    if {"height", "width"} <= guess.sizes.keys():
        yield guess.resized(**dict(zip(("height", "width"), wanted, strict=True)))


def reshaped(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """As many numbers as a view needs."""
    want = prod(int(number) for number in re.findall(r"\d+", match[1]))
    yield from in_proportion(guess, int(match[2]), want)


def in_proportion(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    sides = {n: size for n, size in guess.sizes.items() if n in SPATIAL}
    root = round((want / got) ** (1 / max(1, len(sides))), 6)
    grown = {name: round(size * root) for name, size in sides.items()}
    if sides and max(grown.values()) <= 1024 and min(grown.values()) > 0:
        yield guess.resized(**grown)
    if len(sides) > 1 and want % got == 0 and want // got <= _MOST_TIMES:
        for name in list(sides)[:1]:
            yield guess.resized(**{name: sides[name] * (want // got)})
    for name in RUNNING:
        length = guess.sizes.get(name, 0) * want / got
        if 1 <= length <= 8192:
            yield guess.resized(**{name: round(length)})


def _other_sides(guess: Guess) -> Iterator[Guess]:
    """Sides and lengths that models are commonly made for."""
    names = [name for name in guess.sizes if name in SPATIAL]
    if names:
        most = 128 if "depth" in names else 1024
        for side in SIDES:
            if side <= most and any(guess.sizes[name] != side for name in names):
                yield guess.resized(**dict.fromkeys(names, side))
    for name in RUNNING:
        if name in guess.sizes:
            for length in _LENGTHS:
                yield guess.resized(**{name: length})


def _numbers_named(guess: Guess, message: str) -> Iterator[Guess]:
    """Sides that the message names."""
    names = [name for name in guess.sizes if name in SPATIAL]
    for number in dict.fromkeys(map(int, re.findall(r"(?<![\w.])\d{1,4}(?![\w.])", message))):
        if names and 8 <= number <= 1024 and number not in guess.sizes.values():
            yield guess.resized(**dict.fromkeys(names, number))
