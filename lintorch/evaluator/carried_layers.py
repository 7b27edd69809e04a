"""What roots of one file have in common: layers that one of them made and called are known to the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lintorch.evaluator.alike_layers import AlikeLayers, Making
from lintorch.evaluator.repeated_calls import Kept, RepeatedCalls
from lintorch.evaluator.state import State
from lintorch.evaluator.values import Bound, Choice, Frame, Function, Given, Held, Items


@dataclass
class CarriedLayers:
    """By their making the layers with the heap behind the constructor of their root; what calls of them gave."""

    made: dict[Making, tuple[Held, State]] = field(default_factory=dict)
    given: dict[tuple[Any, ...], Kept] = field(default_factory=dict)

    def keep(self, alike: AlikeLayers, repeated: RepeatedCalls, state: State) -> None:
        """Remember the layers that a root made and did not change afterwards, and what their calls gave."""
        for making, (made, content) in alike.made.items():
            if state.read(made.address) is content:
                self.made.setdefault(making, (made, state))
        for key, kept in repeated.given.items():
            self.given[key] = replace(kept, before=0, behind=0)

    def lend(self, making: Making, state: State) -> Held | None:
        """A layer that another root made so, put into the heap of this one."""
        made, origin = self.made.get(making, (None, state))
        if made is None:
            return None
        for address in list_reachable(made, origin):
            cell = origin.cells.get(address)
            if cell is not None:
                state.cells[address] = cell
        return made


def list_reachable(held: Held, state: State) -> Iterator[int]:
    """The addresses of all that an object holds, itself among them."""
    waiting: list[Any] = [held]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, (Held, Frame)) and value.address not in seen:
            seen.add(value.address)
            yield value.address
            waiting += state.read(value.address).values()
        waiting += _list_within(value)


def _list_within(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple):
        return value
    if isinstance(value, Items):
        return value.items or ()
    if isinstance(value, Bound):
        return (value.function, *value.positional, *dict(value.keyword).values())
    if isinstance(value, Function):
        return (value.closure, *value.defaults)
    if isinstance(value, Frame):
        return (value.outer,)
    if isinstance(value, Given):
        return (*value.positional, *value.keyword.values())
    return value.alternatives if isinstance(value, Choice) else ()
