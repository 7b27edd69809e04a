"""What a value holds at one time, with what lists, dictionaries and named tuples contain then."""

from __future__ import annotations

from lintorch.evaluator.join import ITEMS, make_choice
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.objects import derives_from
from lintorch.evaluator.values import Choice, Held, Items, Value

_DEEPEST = 5


def settle_value(machine: Machine, value: Value, depth: int = 0) -> Value:
    """The same value without addresses of lists and dicts: they are Items of that kind.

    Of a dict the items are its values. An object of a class stays what it is, a named tuple is a
    tuple; past some levels nothing is changed.
    """
    if depth > _DEEPEST:
        return value
    if isinstance(value, Choice):
        return make_choice(tuple(settle_value(machine, v, depth + 1) for v in value.alternatives))
    if isinstance(value, Held):
        return _settle_held(machine, value, depth)
    if isinstance(value, Items) and value.items is not None and value.kind != "Size":
        inner = tuple(settle_value(machine, each, depth + 1) for each in value.items)
        return Items(value.kind, inner, value.each, value.length, value.of_input)
    return value


def _settle_held(machine: Machine, value: Held, depth: int) -> Value:
    content = machine.state.read(value.address)
    items: tuple[Value, ...] | None
    if value.kind == "list":
        items, each = content.get(ITEMS), settle_value(machine, content["each"], depth + 1)
        known = None if items is None else tuple(settle_value(machine, v, depth + 1) for v in items)
        return Items("list", known, each)
    if value.kind == "object" and not derives_from(value.of, "typing.NamedTuple"):
        return value
    fields = tuple(v for k, v in content.items() if isinstance(v, Value) and k != "open")
    known = tuple(settle_value(machine, each, depth + 1) for each in fields)
    return Items("dict" if value.kind == "dict" else "tuple", None if "open" in content else known)
