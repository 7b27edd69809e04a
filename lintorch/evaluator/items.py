"""What a loop or an unpacking takes out of a value."""

from __future__ import annotations

from lintorch.evaluator.machine import Machine
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import UNKNOWN, Array, Choice, Held, Items, Tensor, Value


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
    return known_items(machine, over)


def item_of(machine: Machine, over: Value) -> Value:
    """What any one item is."""
    if isinstance(over, Tensor):
        shape = over.shape[1:] if over.shape else None
        return Tensor(shape, over.dtype, memory=over.memory, sure=over.sure, guessed=over.guessed)
    if isinstance(over, Array):
        return Array(over.shape[1:], traced=over.traced) if over.shape else UNKNOWN
    if isinstance(over, Items):
        return over.each
    if isinstance(over, Held) and over.kind == "list":
        each = machine.state.read(over.address).get("each", UNKNOWN)
        return each if isinstance(each, Value) else UNKNOWN
    if isinstance(over, Choice):
        return UNKNOWN
    return UNKNOWN
