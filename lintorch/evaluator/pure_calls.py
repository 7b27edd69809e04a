"""Functions that are given the same again and again, and change nothing: worked out once for each root."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.repeated_calls import is_lasting
from lintorch.evaluator.state import State
from lintorch.evaluator.values import Function, Given, Held, Value

_MOST_ITEMS = 32
Key = tuple[Any, ...]


@dataclass
class PureCalls:
    """By function and arguments what a call gave, and the number of events that were told before it."""

    results: dict[Key, tuple[Value, int]] = field(default_factory=dict)
    cuts: int = 0
    """How often a call was not entered because that would have gone too deep."""

    def keep(self, key: Key, result: Value, events: int) -> None:
        """Remember what a call gave."""
        self.results[key] = result, events

    def forget_since(self, number: int) -> None:
        """Events from a number on are taken back: what was told by them is to be told again."""
        if any(kept[1] >= number for kept in self.results.values()):
            self.results = {key: kept for key, kept in self.results.items() if kept[1] < number}


def make_key(function: Function, given: Given, state: State, *more: object) -> Key | None:
    """What tells calls apart; None where a call may give something else each time.

    What files hold at their top is the same for all calls until the root changes it.
    """
    if function.closure is not None:
        return None
    positional = _freeze_all(given.positional, state)
    named = _freeze_all(given.keyword.values(), state)
    if positional is None or named is None:
        return None
    return function, state.log.changes, positional, (*given.keyword,), named, given.open, more


def _freeze_all(values: Iterable[Value], state: State) -> tuple[Any, ...] | None:
    parts = []
    for value in values:
        part = _freeze_held(value, state) if isinstance(value, Held) else value
        if part is None or not (part is not value or is_lasting(value)):
            return None
        parts.append(part)
    return tuple(parts)


def _freeze_held(value: Held, state: State) -> Any:
    """What a list or dictionary holds now; an object only where it is one of a file's own."""
    if value.kind == "object":
        return None if value.address in state.cells else ("object", value)
    content = state.read(value.address)
    items = content.get(ITEMS) if value.kind == "list" else (*content.values(),)
    if items is None or len(items) > _MOST_ITEMS:
        return None
    frozen = _freeze_all(items, state)
    names = () if value.kind == "list" else (*content,)
    return None if frozen is None else (value.kind, names, frozen)
