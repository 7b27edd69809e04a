"""Layers that differ from others of their class in nothing but a number, such as their place among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lintorch.evaluator.compare_layers import LayerCopier, Pairs, are_alike
from lintorch.evaluator.freeze_values import freeze_value
from lintorch.evaluator.frozen_records import frozen_record
from lintorch.evaluator.layer_numbers import is_own_number, is_parameter_asked, is_rate
from lintorch.evaluator.state import State
from lintorch.evaluator.values import Class, Constant, Function, Given, Held, Value

_ENOUGH = 3
"""So many alike in a row, and those behind them are taken to be so, too."""
Content = Mapping[Any, Any]


@frozen_record
class Making:
    """What tells the making of a layer from others, and the numbers of its own, by their parameters."""

    key: tuple[Any, ...]
    numbers: tuple[tuple[str, Constant], ...]
    asks_place: bool = False

    def pair(self, other: Making) -> Pairs:
        """Its numbers with those of another."""
        return tuple((one[1], two[1]) for one, two in zip(self.numbers, other.numbers, strict=True))


def name_making(kind: Class, init: Value | None, given: Given, state: State) -> Making | None:
    """The making of a layer; None where arguments may change or are not known."""
    if given.open:
        return None
    numbers, parts = [], []
    for name, value in _name_arguments(init, given):
        if type(value) is Constant and is_own_number(name, value):
            numbers.append((name, value))
            parts.append((name, value.value > 0 if is_rate(name) else None))
            continue
        part = freeze_value(value, state)
        if part is None:
            return None
        parts.append((name, part))
    asked = isinstance(init, Function) and any(
        is_parameter_asked(init.node, name, value) for name, value in numbers
    )
    return Making((kind, len(given.positional), *parts), tuple(numbers), asked)


def _name_arguments(init: Value | None, given: Given) -> Iterator[tuple[str, Value]]:
    """Arguments by the parameters of a constructor, by their number where it has none for them."""
    spec = init.node.args.args[1:] if isinstance(init, Function) else []
    names = [each.arg for each in spec]
    for number, value in enumerate(given.positional):
        yield names[number] if number < len(names) else f"{number}", value
    yield from sorted(given.keyword.items(), key=lambda each: each[0])


@dataclass
class _Row:
    """Layers that were made one after the other, and are alike."""

    first: Held
    making: Making
    count: int = 1


@dataclass
class AlikeLayers:
    """The rows of one root; by the address of a layer the one that it is like, and what it held then."""

    shared: set[int]
    """Addresses of objects that stand for several."""
    rows: dict[tuple[Any, ...], _Row] = field(default_factory=dict)
    likes: dict[int, tuple[Held, Content]] = field(default_factory=dict)
    made: dict[Making, tuple[Held, Content]] = field(default_factory=dict)
    """What constructors made, and what it held behind them."""
    asked: int = 0
    """How often a constructor did more with the place of its layer among others than to hand it on."""

    def find_made(self, making: Making, state: State, addresses: Iterator[int]) -> Held | None:
        """A layer like the one that is to be made: the same where neither has a number of its own."""
        row = self.rows.get(making.key)
        if row is None or state.find_cell(row.first.address) is None:
            return None
        if making.numbers and row.count < _ENOUGH:
            return None
        copier = LayerCopier(dict(row.making.pair(making)), state, addresses, self.shared)
        made = copier.copy(row.first)
        for address, held in copier.copies.items():
            self.likes[address] = held, state.read(address)
        return made

    def keep_made(self, making: Making, made: Held, state: State, asked: int = 0) -> None:
        """A layer was made: it is one more of a row, or begins another.

        `asked`: how often places had been asked for before.
        """
        self.asked += making.asks_place
        self.made[making] = made, state.read(made.address)
        row = self.rows.get(making.key)
        if row is not None and are_alike(row.first, made, row.making.pair(making), state):
            row.count += self.asked == asked
            self.likes[made.address] = row.first, state.read(made.address)
        else:
            self.rows[making.key] = _Row(made, making)

    def find_like(self, held: Held, state: State) -> Held | None:
        """The layer of which a call gives what a call of this one gives."""
        found = self.likes.get(held.address)
        if found is None or state.read(held.address) is not found[1]:
            return None
        return found[0]
