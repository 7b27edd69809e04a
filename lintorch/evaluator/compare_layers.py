"""Layers that hold the same but for numbers of their own: compared, and copied with other numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any

from lintorch.evaluator.layer_numbers import is_own_number, is_place_asked
from lintorch.evaluator.state import State
from lintorch.evaluator.values import Constant, Held

LAYER = "lintorch mode"
"""What every layer holds."""
_DEEPEST = 8
Pairs = tuple[tuple[Constant, Constant], ...]


@dataclass
class LayerCopier:
    """Copies what holds a number of a layer's own; the rest is shared."""

    numbers: Mapping[Constant, Constant]
    state: State
    addresses: Iterator[int]
    shared: set[int]
    copies: dict[int, Held] = field(default_factory=dict)

    def copy(self, held: Held) -> Held:
        """The same layer with another number, or itself where it holds none."""
        before = self.state.read(held.address)
        after = {key: self._renew(key, value) for key, value in before.items()}
        if all(after[key] is value for key, value in before.items()):
            self.shared.add(held.address)
            return held
        address = next(self.addresses)
        self.state.write(address).update(after)
        self.copies[address] = held
        return replace(held, address=address)

    def _renew(self, name: Any, value: Any) -> Any:
        if type(value) is Held and self.numbers and LAYER in self.state.read(value.address):
            return self.copy(value)
        if type(value) is tuple:
            parts = tuple(self._renew(name, each) for each in value)
            return value if all(map(is_, parts, value)) else parts
        if type(value) is Constant and type(name) is str and is_own_number(name, value):
            return self.numbers.get(value, value)
        return value


def are_alike(
    one: Any, other: Any, pairs: Pairs, state: State, name: str = "", deep: int = 0
) -> bool:
    """Whether two values are the same but for numbers of their own."""
    if one is other or deep > _DEEPEST:
        return one is other
    if type(one) is not type(other):
        return False
    if type(one) is Held:
        return _hold_alike(one, other, pairs, state, deep)
    if type(one) is tuple:
        return len(one) == len(other) and all(
            are_alike(mine, its, pairs, state, name, deep)
            for mine, its in zip(one, other, strict=True)
        )
    return bool(one == other) or (type(name) is str and _is_pair(name, one, other, pairs))


def _is_pair(name: str, one: Any, other: Any, pairs: Pairs) -> bool:
    return (one, other) in pairs and type(one) is Constant and is_own_number(name, one)


def _hold_alike(one: Held, other: Held, pairs: Pairs, state: State, deep: int) -> bool:
    if one.address == other.address:
        return True
    if one.kind != other.kind or one.of != other.of:
        return False
    mine, its = state.read(one.address), state.read(other.address)
    if mine.keys() != its.keys():
        return False
    for key, value in mine.items():
        if not are_alike(value, its[key], pairs, state, key, deep + 1):
            return False
        if type(value) is Constant and value != its[key] and is_place_asked(one.of, key, value):
            return False
    return True
