"""Layers that are called alike again and again: what they do is worked out once for each root."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    fresh: Mapping[Any, Any] | None = None
    """What the object held that it made and gave; None where it gave another value."""


@dataclass
class RepeatedCalls:
    """By object and arguments what its call gave."""

    given: dict[tuple[Any, ...], Kept] = field(default_factory=dict)
    shared: set[int] = field(default_factory=set)
    """Addresses of objects that stand for several."""

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
        first: int,
    ) -> None:
        """Remember what a call gave that changed nothing older than `first`; it told what is behind `before` events."""
        key = _make_key(held, given, forward)
        if key is None:
            return
        fresh = _list_fresh(result, first, state)
        lasting = is_lasting(result) if fresh is None else all(map(is_lasting, fresh.values()))
        if not lasting or any(is_made_up(given, e) for e in (fresh or {"": result}).values()):
            return
        told = islice(events, before, None)
        if not any(_changes(event, first) for event in told):
            content = state.read(held.address)
            self.given[key] = Kept(content, given, result, before, len(events), fresh)

    def forget_since(self, number: int) -> None:
        """Events from a number on are taken back: what was told by them is to be told again."""
        self.given = {key: kept for key, kept in self.given.items() if kept.behind <= number}


def _list_fresh(result: Value, first: int, state: State) -> Mapping[str, Value] | None:
    """What an object holds that was just made, and that names all of its parts."""
    if type(result) is not Held or result.kind == "list" or result.address < first:
        return None
    content = {**state.read(result.address)}
    return content if all(isinstance(each, Value) for each in content.values()) else None


def _changes(event: Occurrence, first: int) -> bool:
    """Whether it changes something older."""
    if not isinstance(event, (AttributeSet, ItemSet)):
        return False
    return type(event.held) is not Held or event.held.address < first


def _make_key(held: Held, given: Given, *more: Any) -> tuple[Any, ...] | None:
    """What tells calls apart; None where arguments may change or are not known."""
    if not all(map(is_lasting, given.values)):
        return None
    named = tuple(sorted(given.keyword.items(), key=_name_of))
    return (held, given.positional, named, given.open, *more)


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

    Two tensors of which nothing is known are equal values, and yet have sizes of their own. Sizes
    that an argument has are none of these.
    """
    made = {*_list_made_sizes(result)}
    if not made or not (given.open or any(map(_is_vague, given.values))):
        return False
    return not made <= {size for each in given.values for size in _list_made_sizes(each)}


def _is_vague(value: Value) -> bool:
    if isinstance(value, Items):
        return value.items is None or any(map(_is_vague, value.items))
    if isinstance(value, Tensor):
        return value.shape is None
    return isinstance(value, Unknown) or (isinstance(value, Number) and value.size is None)


def _list_made_sizes(value: Value) -> Iterator[str]:
    if isinstance(value, Items):
        for each in value.items or ():
            yield from _list_made_sizes(each)
    sizes = value.shape or () if isinstance(value, Tensor) else ()
    yield from (size.text for size in sizes if not isinstance(size, int) and "?(" in size.text)
