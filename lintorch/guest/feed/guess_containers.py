"""Guesses for arguments that hold several tensors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lintorch.guest.feed import shape_forms
from lintorch.guest.feed.container_arguments import Structure, structures, widths
from lintorch.guest.feed.guess_inputs import Guess, argument
from lintorch.guest.feed.modal_arguments import of_kind
from lintorch.guest.feed.shape_forms import Form
from lintorch.record.arguments import Place
from lintorch.record.trace import Input

_LEAST = 4
"""The smallest side of a map of features."""


@dataclass(frozen=True)
class _Told:
    """The channels that a list's tensors have, the forms of the first layers, and the guess to change."""

    channels: tuple[int, ...]
    by_layers: Sequence[Form]
    guess: Guess


def spread(guesses: Iterable[Guess], module: Any, arguments: Mapping[str, Any]) -> Iterator[Guess]:
    """The guesses, with lists and mappings where `forward` surely takes them; else such ones after."""
    channels = widths(module, arguments)
    found = structures(module, len(channels))
    surely = {name: places for name, (places, is_sure) in found.items() if is_sure}
    perhaps = {name: places for name, (places, _) in found.items()}
    by_layers = list(shape_forms.by_layers(module)) if found else []
    for guess in guesses:
        names = {given.name for given in guess.inputs}
        if not names & surely.keys():
            yield guess
        for held in (surely, perhaps) if len(perhaps) > len(surely) else (surely,):
            if names & held.keys():
                yield from _spread(guess, held, _Told(channels, by_layers, guess))


def _spread(guess: Guess, held: Mapping[str, Structure], told: _Told) -> Iterator[Guess]:
    for way in (_halved, _alike, _unbatched):
        made: list[list[Input]] = []
        for given in guess.inputs:
            places = held.get(given.name, ()) if not given.at else ()
            made.append([*way(given, places, told)] if places else [given])
        if all(made):
            yield told.guess.with_inputs(tuple(part for parts in made for part in parts))


def _halved(given: Input, places: Structure, told: _Told) -> Iterator[Input]:
    """Maps of features: each with its channels, and half the sides of the one before."""
    sides = [told.guess.size(given, axis) for axis in range(2, len(given.shape))]
    if len(told.channels) == len(places) and sides:
        for number, (place, channels) in enumerate(zip(places, told.channels, strict=True)):
            halved = (max(_LEAST, side >> number) for side in sides)
            yield replace(given, at=place, shape=(given.shape[0], channels, *halved))


def _alike(given: Input, places: Structure, told: _Told) -> Iterator[Input]:
    """A tensor at each place, by the name it has there."""
    for number, place in enumerate(places):
        part = replace(_named(given, place, number, told.by_layers), at=place)
        if len(told.channels) == len(places) and len(part.shape) > 1:
            part = replace(part, shape=(part.shape[0], told.channels[number], *part.shape[2:]))
        yield part


def _unbatched(given: Input, places: Structure, told: _Told) -> Iterator[Input]:
    """A sample at each place, without an axis for the batch."""
    for place in places:
        yield replace(given, at=place, shape=given.shape[1:])


def _named(given: Input, place: Place, number: int, by_layers: Sequence[Form]) -> Input:
    """What stands under a key is what an argument of that name would be."""
    key = next((part for part in reversed(place) if isinstance(part, str)), "")
    fitting = argument(key, of_kind(key, given, by_layers), number) if key else given
    return replace(fitting, name=given.name)
