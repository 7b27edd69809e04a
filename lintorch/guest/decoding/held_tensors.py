"""The tensors that a value of any class holds, and the same value with others in their places."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import nn

_DEEPEST = 8
Place = tuple[Any, ...]


def list_held(value: Any, kind: type = torch.Tensor, place: Place = ()) -> list[tuple[Place, Any]]:
    """All of a kind inside, each with its place: through containers and attributes of objects."""
    if isinstance(value, kind):
        return [(place, value)]
    if len(place) > _DEEPEST:
        return []
    return [
        found for key, part in _list_parts(value) for found in list_held(part, kind, (*place, key))
    ]


def put_held(value: Any, others: Mapping[Place, Any], place: Place = ()) -> Any:
    """A copy with others at their places; what holds none of these is the very same."""
    if place in others:
        return others[place]
    within = [other for other in others if other[: len(place)] == place]
    if not within:
        return value
    parts = {key: put_held(part, others, (*place, key)) for key, part in _list_parts(value)}
    if isinstance(value, tuple):
        made = [*parts.values()]
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
    if isinstance(value, list):
        return [*parts.values()]
    made_of = copy.copy(value)
    if isinstance(value, Mapping):
        made_of.update(parts)
    else:
        vars(made_of).update(parts)
    return made_of


def take_part(output: Any, part: int | str) -> Any:
    """What stands at an index, a key or an attribute. Raises LookupError, AttributeError, TypeError."""
    if isinstance(part, str) and not isinstance(output, Mapping):
        return getattr(output, part)
    return output[part]


def list_top_parts(output: Any) -> list[tuple[int | str, Any]]:
    """The parts of what a forward gives back, by index or key."""
    if isinstance(output, (torch.Tensor, nn.Module)) or output is None:
        return []
    return [(key, part) for key, part in _list_parts(output) if isinstance(key, (int, str))]


def _list_parts(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, (str, bytes, int, float, type, torch.Tensor, nn.Module)) or value is None:
        return
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, Sequence):
        yield from enumerate(value)
    elif hasattr(value, "__dict__") and not callable(value):
        yield from vars(value).items()
