"""Layers that are made and called alike again and again: what they do is worked out once for each root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from lintorch.evaluator.events import AttributeSet, ItemSet, Occurrence
from lintorch.evaluator.state import State
from lintorch.evaluator.values import (
    Bound,
    Class,
    Constant,
    External,
    Function,
    Given,
    Held,
    Items,
    ModuleValue,
    Number,
    Slice,
    Tensor,
    Unknown,
    Value,
)

_MOST_PARTS = 64
_PLAIN = frozenset({Class, Constant, External, Function, ModuleValue, Number, Tensor, Unknown})


@dataclass(frozen=True)
class Kept:
    """A call that was made: what the object held, what was given, and which events were told of it."""

    content: Mapping[Any, Any]
    given: Given
    result: Value
    before: int
    behind: int


@dataclass
class RepeatedCalls:
    """By class and arguments the object that was made; by object and arguments what its call gave."""

    made: dict[tuple[Any, ...], Held] = field(default_factory=dict)
    given: dict[tuple[Any, ...], Kept] = field(default_factory=dict)
    shared: set[int] = field(default_factory=set)
    """Addresses of objects that stand for several."""

    def find_made(self, kind: Class, given: Given, state: State) -> Held | None:
        """An object like the one that is to be made."""
        key = _make_key(kind, given)
        found = None if key is None else self.made.get(key)
        if found is None or state.find_cell(found.address) is None:
            return None
        self.shared.add(found.address)
        return found

    def keep_made(self, kind: Class, given: Given, made: Held) -> None:
        """Remember an object that was made."""
        key = _make_key(kind, given)
        if key is not None:
            self.made[key] = made

    def find_result(self, held: Held, given: Given, forward: bool, state: State) -> Kept | None:
        """The same call, where the object has not changed since."""
        key = _make_key(held, given, forward)
        found = None if key is None else self.given.get(key)
        if found is None or state.read(held.address) is not found.content:
            return None
        return found

    def keep_result(
        self,
        held: Held,
        given: Given,
        forward: bool,
        state: State,
        result: Value,
        events: Sequence[Occurrence],
        before: int,
    ) -> None:
        """Remember what a call gave that changed nothing; what it told begins behind `before` events."""
        key = _make_key(held, given, forward)
        if key is None or not is_lasting(result) or is_made_up(given, result):
            return
        told = islice(events, before, None)
        if not any(isinstance(event, (AttributeSet, ItemSet)) for event in told):
            content = state.read(held.address)
            self.given[key] = Kept(content, given, result, before, len(events))

    def forget_since(self, number: int) -> None:
        """Events from a number on are taken back: what was told by them is to be told again."""
        self.given = {key: kept for key, kept in self.given.items() if kept.behind <= number}


def _make_key(subject: Class | Held, given: Given, *more: Any) -> tuple[Any, ...] | None:
    """What tells calls apart; None where arguments may change or are not known."""
    if given.open or not all(map(is_lasting, given.values)):
        return None
    return (subject, given.positional, tuple(sorted(given.keyword.items(), key=_name_of)), *more)


def _name_of(item: tuple[str, Value]) -> str:
    return item[0]


def is_lasting(value: Value) -> bool:
    """Whether a value holds nothing that can be changed in place, but for objects that are layers."""
    kind = type(value)
    if kind in _PLAIN:
        return True
    if kind is Held:
        return False
    if isinstance(value, Items):
        parts = value.items or ()
        return len(parts) <= _MOST_PARTS and all(map(is_lasting, parts))
    if isinstance(value, Slice):
        return all(map(is_lasting, (value.start, value.stop, value.step)))
    if isinstance(value, Bound):
        return all(map(is_lasting, value.positional)) and is_lasting(value.function)
    return True


def is_made_up(given: Given, result: Value) -> bool:
    """Whether a call gives sizes that stand for what is not known of its arguments.

    Two tensors of which nothing is known are equal values, and yet have sizes of their own.
    """
    return _has_made_size(result) and any(map(_is_vague, given.values))


def _is_vague(value: Value) -> bool:
    if isinstance(value, Items):
        return value.items is None or any(map(_is_vague, value.items))
    if isinstance(value, Tensor):
        return value.shape is None
    return isinstance(value, Unknown) or (isinstance(value, Number) and value.size is None)


def _has_made_size(value: Value) -> bool:
    if isinstance(value, Items):
        return any(map(_has_made_size, value.items or ()))
    sizes = value.shape or () if isinstance(value, Tensor) else ()
    return any(not isinstance(size, int) and "?(" in size.text for size in sizes)
