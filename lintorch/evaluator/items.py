"""What a loop or an unpacking takes out of a value."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from lintorch.evaluator.events import Ordered
from lintorch.evaluator.loaded_batches import ITEM, LOADER, load_batch
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    NONE,
    UNKNOWN,
    Array,
    Bound,
    Class,
    Constant,
    Function,
    Given,
    Held,
    Items,
    Number,
    Tensor,
    Unknown,
    Value,
)

KEY = Unknown("dict.keys()[]")
"""Any key of a dictionary of which not all keys are known."""


def items_of(machine: Machine, over: Value) -> tuple[Value, ...] | None:
    """What a loop goes over, item by item, where all are known; of a tensor with a known first size too."""
    if isinstance(over, Tensor):
        if (
            over.shape
            and isinstance(over.shape[0], int)
            and over.shape[0] <= machine.budget.unrolled
        ):
            return (item_of(machine, over),) * over.shape[0]
        return None
    items = known_items(machine, over)
    if items is None and isinstance(over, Held) and isinstance(over.of, Class):
        return _items_of_object(machine, over)
    return items


def _items_of_object(machine: Machine, over: Held) -> tuple[Value, ...] | None:
    """What the `__iter__` of a class of a file gives."""
    node = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
    method = machine.read_attribute(node, over, "__iter__")
    if not isinstance(method, Bound) or not isinstance(method.function, Function):
        return None
    return known_items(machine, machine.call(node, method, Given()))


def item_of(machine: Machine, over: Value) -> Value:
    """What any one item is."""
    if isinstance(over, Tensor):
        shape = over.shape[1:] if over.shape else None
        return Tensor(
            shape, over.dtype, memory=over.memory, sure=over.sure, guessed=over.guessed,
            data=over.data,
        )  # fmt: skip
    if isinstance(over, Array):
        shape = over.shape[1:] if over.shape else None
        return Array(shape, traced=over.traced, via=over.via, dtype=over.dtype)
    if isinstance(over, Items):
        return over.each
    if isinstance(over, Number) and is_listed_data(over):
        return over
    if isinstance(over, Held) and over.kind == "list":
        each = machine.state.read(over.address).get("each", UNKNOWN)
        return each if isinstance(each, Value) else UNKNOWN
    if isinstance(over, Held) and over.kind == "dict":
        return KEY
    if isinstance(over, Unknown) and names_items(machine, over):
        return machine.unknown_from(over, "[]")
    loaded = isinstance(over, Held) and over.of == LOADER
    if isinstance(over, Held) and loaded and (batch := load_batch(machine, over)) is not None:
        return batch
    told = machine.marks or machine.tells_unknown
    return Unknown(ITEM) if told and (loaded or isinstance(over, Unknown)) else UNKNOWN


def is_listed_data(value: Number) -> bool:
    """Whether it is what `x.tolist()` gives of unknown axes: a number, or lists of such numbers."""
    return value.data and any(each.name == "torch.Tensor.tolist" for each in value.via)


def names_items(machine: Machine, over: Unknown) -> bool:
    """Whether what is taken out of something unknown is called after it; one item is not the next."""
    if over.path.startswith(ITEM):
        return True
    return machine.names_unknown or any(each in over.path for each in _PARTS)


_PARTS = (
    ".children()", ".modules()", ".named_children()", ".named_modules()", ".parameters()",
    ".named_parameters()",
)  # fmt: skip
"""What gives the parts of a model, of which it matters that they are modules or parameters."""


def drop_repeats(items: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """The items of a set; None where two of them may be the same."""
    found = tuple(dict.fromkeys(items))
    plain = all(isinstance(each, Constant) for each in found)
    return found if plain or len(found) < 2 else None


_MOST_KEYS = 8
"""Items whose keys are asked for."""


def ask_keys(
    machine: Machine, node: ast.AST, key: Value | None, items: Sequence[Value]
) -> tuple[Value, ...]:
    """What sorted(), max() and min() order items by: what a function gives of each, or they themselves."""
    if key is None or key == NONE:
        return tuple(items)
    return tuple(machine.call(node, key, Given((each,))) for each in items[:_MOST_KEYS])


def tell_ordered(
    machine: Machine, node: ast.AST, name: str, compared: Iterable[Value], *, chooses: bool
) -> None:
    """Record that data decide how numbers are ordered."""
    if any(isinstance(each, Number) and each.data and not each.truth for each in compared):
        machine.tell(Ordered, node, name, chooses)
