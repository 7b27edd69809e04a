"""Guesses for arguments that hold several tensors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from lintorch.guest.feed.container_arguments import (
    Structure,
    count_by_arguments,
    find_part_names,
    find_structures,
    read_list_channels,
)
from lintorch.guest.feed.guess_inputs import Guess, guess_argument
from lintorch.guest.feed.guess_lengths import link_lengths
from lintorch.guest.feed.guess_states import find_recurrent_layer, shape_states
from lintorch.guest.feed.model_attributes import list_defaults
from lintorch.guest.feed.shape_forms import InputForm, choose_form_by_name, list_layer_forms
from lintorch.record.arguments import TUPLE, LeafPlace
from lintorch.record.models import Input

_LEAST_SIDE = 4
"""The smallest side of a map of features."""


@dataclass(frozen=True)
class _ContainerHints:
    """The channels that a list's tensors have, the forms of the first layers, and the guess to change.

    `names` are, by argument, those that its parts are taken out by, and `layer` keeps a state.
    """

    channels: tuple[int, ...]
    layer_forms: Sequence[InputForm]
    guess: Guess
    names: Mapping[str, tuple[str, ...]]
    layer: nn.RNNBase | nn.RNNCellBase | None


def spread_over_containers(
    guesses: Iterable[Guess], module: Any, arguments: Mapping[str, Any]
) -> Iterator[Guess]:
    """The guesses, with lists and mappings where `forward` surely takes them; else such ones after."""
    channels = read_list_channels(module, arguments)
    known = {**list_defaults(module), **arguments}
    found = find_structures(module, len(channels) or count_by_arguments(known))
    surely = {name: places for name, (places, is_sure) in found.items() if is_sure}
    perhaps = {name: places for name, (places, _) in found.items()}
    layer_forms = list(list_layer_forms(module)) if found else []
    layer = find_recurrent_layer(module) if found else None
    parts = {name: find_part_names(module, name) for name in found}
    for guess in guesses:
        names = {given.name for given in guess.inputs}
        if not names & surely.keys():
            yield guess
        for held in (surely, perhaps) if len(perhaps) > len(surely) else (surely,):
            if names & held.keys():
                hints = _ContainerHints(channels, layer_forms, guess, parts, layer)
                yield from _fill_containers(guess, held, hints)


def _fill_containers(
    guess: Guess, held: Mapping[str, Structure], hints: _ContainerHints
) -> Iterator[Guess]:
    for way in (_fill_pyramid, _fill_each_place, _fill_unbatched):
        made: list[list[Input]] = []
        for given in guess.inputs:
            places = held.get(given.name, ()) if not given.at else ()
            made.append([*way(given, places, hints)] if places else [given])
        if all(made):
            yield hints.guess.with_inputs(tuple(part for parts in made for part in parts))


def _fill_pyramid(given: Input, places: Structure, hints: _ContainerHints) -> Iterator[Input]:
    """Maps of features: each with its channels, and half the sides of the one before."""
    sides = [hints.guess.size_along(given, axis) for axis in range(2, len(given.shape))]
    if len(hints.channels) == len(places) and sides:
        for number, (place, channels) in enumerate(zip(places, hints.channels, strict=True)):
            halved = (max(_LEAST_SIDE, side >> number) for side in sides)
            yield replace(given, at=place, shape=(given.shape[0], channels, *halved))


def _fill_each_place(given: Input, places: Structure, hints: _ContainerHints) -> Iterator[Input]:
    """A tensor at each place, by the name it has there."""
    names = hints.names.get(given.name, ())
    names = names if len(names) == len(places) else ()
    mixed = len({len(place) for place in places}) > 1
    parts = []
    for number, place in enumerate(places):
        key = names[number] if names else ""
        part = replace(_guess_named_part(given, place, number, hints.layer_forms, key), at=place)
        if mixed:  # a tracer takes no list of a tensor and a list
            part = replace(part, records=(TUPLE,) * len(place))
        if len(hints.channels) == len(places) and len(part.shape) > 1:
            part = replace(part, shape=(part.shape[0], hints.channels[number], *part.shape[2:]))
        parts.append(part)
    yield from link_lengths(shape_states(parts, names, hints.layer), names)


def _fill_unbatched(given: Input, places: Structure, hints: _ContainerHints) -> Iterator[Input]:
    """A sample at each place, without an axis for the batch."""
    for place in places:
        yield replace(given, at=place, shape=given.shape[1:])


def _guess_named_part(
    given: Input, place: LeafPlace, number: int, layer_forms: Sequence[InputForm], name: str
) -> Input:
    """What stands under a key, or is taken out by a name, is what an argument of that name would be."""
    key = name or next((part for part in reversed(place) if isinstance(part, str)), "")
    fitting = (
        guess_argument(key, choose_form_by_name(key, given, layer_forms), number) if key else given
    )
    return replace(fitting, name=given.name)
