"""A model's arguments: each a tensor or plain value, or lists and mappings of these, listed one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from lintorch.record.models import FedArgument, Input, PlainArgument
from lintorch.record.plain_values import list_size_names

LeafPlace = tuple[int | str, ...]
TUPLE = "tuple"
"""What a step through a plain tuple is recorded as, where one through a list is not."""


def arrange_arguments(inputs: Sequence[FedArgument], values: Sequence[Any]) -> tuple[Any, ...]:
    """One value per input as one per argument: those of one argument in its lists and mappings."""
    pairs = enumerate(zip(inputs, values, strict=True))
    groups = groupby(pairs, lambda pair: pair[1][0].name if pair[1][0].at else pair[0])
    return tuple(
        nest_values((given.at, given.records, value) for _, (given, value) in group)
        for _, group in groups
    )


def pick_tensors(inputs: Iterable[FedArgument]) -> tuple[Input, ...]:
    """The inputs that are tensors."""
    return tuple(given for given in inputs if isinstance(given, Input))


def find_tied_sizes(inputs: Iterable[FedArgument]) -> frozenset[str]:
    """Names of sizes that a plain value follows: whatever is exported with it holds for these alone."""
    plain = (given for given in inputs if isinstance(given, PlainArgument))
    return frozenset(name for given in plain for name in list_size_names(given.value))


def nest_values(placed: Iterable[tuple[LeafPlace, Sequence[str], Any]]) -> Any:
    """`[a, {"b": b}]` from a at (0,) and b at (1, "b"); a value at () is itself.

    What is made by the steps that are recorded as `TUPLE` is a tuple.
    """
    groups: dict[int | str, list[tuple[LeafPlace, Sequence[str], Any]]] = {}
    kind = ""
    for place, records, value in placed:
        if not place:
            return value
        kind = next(iter(records), "")
        groups.setdefault(place[0], []).append((place[1:], records[1:], value))
    if any(isinstance(key, str) for key in groups):
        return {key: nest_values(group) for key, group in groups.items()}
    parts = [nest_values(group) for group in groups.values()]
    return tuple(parts) if kind == TUPLE else parts


def list_leaves(argument: Any, place: LeafPlace = ()) -> list[tuple[LeafPlace, Any]]:
    """The places and leaves of an argument made of lists, tuples and mappings."""
    if isinstance(argument, dict):
        parts = list(argument.items())
    elif isinstance(argument, (list, tuple)):
        parts = list(enumerate(argument))
    else:
        return [(place, argument)]
    return [pair for key, part in parts for pair in list_leaves(part, (*place, key))]
