"""What is known where two paths meet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lintorch.evaluator.sizes import Dim, join_varying, make_operation
from lintorch.evaluator.state import State
from lintorch.evaluator.values import (
    UNKNOWN,
    Array,
    Choice,
    Constant,
    Items,
    Number,
    Tensor,
    Unknown,
    Value,
    is_number,
    size_in,
)

MOST_ARMS = 8
"""Tensors of which a joined one is known to be one."""
MOST_ALTERNATIVES = 4
"""Values that a choice keeps apart; more are unknown."""


def join_states(left: State | None, right: State | None) -> State | None:
    """What holds on both paths; None stands for a path that was left."""
    if left is None or right is None:
        return left if right is None else right
    cells = dict(left.cells)
    joined = State(cells, left.ground, left.log)
    for address in left.ground and left.cells.keys() - right.cells.keys():
        shared = left.ground.get(address)
        if shared is not None:
            cells[address] = joined.generation, _join_cells(cells[address][1], shared[1])
    for address, cell in right.cells.items():
        mine = cells.get(address)
        if mine is cell:
            continue
        mine = mine or left.ground.get(address)
        if mine is None:
            cells[address] = cell
        elif mine[1] is not cell[1]:
            cells[address] = joined.generation, _join_cells(mine[1], cell[1])
    left.generation = right.generation = -1
    return joined


def _join_cells(left: dict[Any, Any], right: dict[Any, Any]) -> dict[Any, Any]:
    joined = {}
    for key in left.keys() | right.keys() if left.keys() != right.keys() else left:
        one, other = left.get(key), right.get(key)
        if one is other:
            joined[key] = one
        elif key is ITEMS:
            joined[key] = _join_items(one, other)
        elif one is None or other is None:
            joined[key] = one if other is None else other
        else:
            joined[key] = join_values(one, other)
    if ITEMS in joined and joined[ITEMS] is None and "each" in joined:
        joined["each"] = make_choice((*_list_held(left), *_list_held(right)))
    return joined


def _list_held(cell: dict[Any, Any]) -> tuple[Value, ...]:
    """What may be in a list: its items, where they are known."""
    items = cell.get(ITEMS)
    return items if items is not None else (cell.get("each", UNKNOWN),)


class _ItemsKey:
    """The key under which a list keeps the tuple of its items, None where it is not known."""

    def __repr__(self) -> str:
        return "ITEMS"


ITEMS = _ItemsKey()


def _join_items(
    left: tuple[Value, ...] | None, right: tuple[Value, ...] | None
) -> tuple[Value, ...] | None:
    if left is None or right is None or len(left) != len(right):
        return None
    return tuple(map(join_values, left, right))


def join_values(left: Value, right: Value) -> Value:
    """A value that is one or the other."""
    if left is right:
        return left
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return _join_tensors(left, right)
    if left == right:
        return left
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _join_unknown(left, right)
    if is_number(left) and is_number(right) and _are_sized(left, right):
        return _join_numbers(left, right)
    if isinstance(left, Array) and isinstance(right, Array):
        return Array(
            None,
            left.memory | right.memory,
            left.traced or right.traced,
            left.via | right.via,
            left.dtype if left.dtype == right.dtype else None,
        )
    if isinstance(left, Items) and isinstance(right, Items) and left.kind == right.kind:
        items = _join_items(left.items, right.items)
        if items is not None or left.items is None or right.items is None:
            return Items(left.kind, items, join_values(left.each, right.each))
    return make_choice((*_alternatives(left), *_alternatives(right)))


def _join_unknown(left: Value, right: Value) -> Value:
    """What is known of where a value came from, if it is a part of the other: `state` or `state["model"]`."""
    if isinstance(left, Unknown) and isinstance(right, Unknown) and left.path and right.path:
        shorter, longer = sorted((left, right), key=lambda each: len(each.path))
        if longer.path.startswith(shorter.path + "["):
            return shorter
    return UNKNOWN


def make_choice(values: tuple[Value, ...]) -> Value:
    """One of these; unknown where they are too many."""
    found: list[Value] = []
    for value in values:
        if isinstance(value, Unknown):
            return UNKNOWN
        for index, other in enumerate(found):
            if isinstance(value, Tensor) and isinstance(other, Tensor):
                found[index] = _join_tensors(value, other)
                break
            if value == other:
                break
        else:
            found.append(value)
    if len(found) == 1:
        return found[0]
    return Choice(tuple(found)) if 0 < len(found) <= MOST_ALTERNATIVES else UNKNOWN


def _alternatives(value: Value) -> tuple[Value, ...]:
    return value.alternatives if isinstance(value, Choice) else (value,)


def _are_sized(left: Value, right: Value) -> bool:
    """Whether one of two numbers is made of sizes: plain constants stay apart, as settings are."""
    return isinstance(left, Number) or isinstance(right, Number)


def _join_numbers(left: Value, right: Value) -> Value:
    sizes = size_in(left), size_in(right)
    given = [each for each in (left, right) if isinstance(each, Number)]
    wholes = {_wholeness(left), _wholeness(right)}
    return Number(
        _either(*sizes) if sizes[0] is not None and sizes[1] is not None else None,
        wholes.pop() if len(wholes) == 1 else None,
        join_varying(each.varies for each in given),
        any(each.data for each in given),
        all(each.truth for each in given),
        frozenset(via for each in given for via in each.via),
        own=any(each.own for each in given),
    )


def _wholeness(value: Value) -> bool | None:
    if isinstance(value, Constant):
        return isinstance(value.value, int)
    return value.whole if isinstance(value, Number) else None


def _join_tensors(left: Tensor, right: Tensor) -> Tensor:
    """One of both, which remembers them: they may be alike and come from different operations."""
    if left is right:
        return left
    shape = None
    if left.shape is not None and right.shape is not None and len(left.shape) == len(right.shape):
        shape = tuple(map(_either, left.shape, right.shape))
    return Tensor(
        shape,
        left.dtype if left.dtype == right.dtype else None,
        left.origin if left.origin == right.origin else "",
        left.name if left.name == right.name else "",
        left.memory | right.memory,
        left.sure and right.sure,
        left.via | right.via,
        guessed=left.guessed or right.guessed,
        ranked_as=left.ranked_as if left.ranked_as == right.ranked_as else "",
        turned_from=left.turned_from if left.turned_from == right.turned_from else "",
        grown_from=left.grown_from if left.grown_from == right.grown_from else "",
        arms=_join_arms(left, right),
        rows=left.rows if left.rows == right.rows else None,
        data=join_data((left.data, right.data)),
    )


def _join_arms(left: Tensor, right: Tensor) -> tuple[Value, ...]:
    arms: dict[int, Value] = {
        id(each): each for value in (left, right) for each in (value.arms or (value,))
    }
    return (*arms.values(),) if len(arms) <= MOST_ARMS else (Tensor(), *arms.values())[:MOST_ARMS]


def join_data(parts: Iterable[bool | None]) -> bool | None:
    """Whether the data of an input has a part in what is made of several, or is one of them."""
    found = set(parts)
    return True if True in found else None if None in found else False


def _either(left: Dim | None, right: Dim | None) -> Dim:
    """A size that is one or the other."""
    if left == right and left is not None:
        return left
    first, second = sorted((left or 0, right or 0), key=str)
    return make_operation("either", first, second)
