"""Python's numbers: conversions, rounding, bounds, `math`."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from lintorch.evaluator.arithmetic import combine_each, convert_number, take_root
from lintorch.evaluator.far_sizes import crosses_far_out
from lintorch.evaluator.items import ask_keys, item_of, tell_ordered
from lintorch.evaluator.join import make_choice
from lintorch.evaluator.learn import note_length_asked
from lintorch.evaluator.library.table import LIBRARY, Handler, does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.sizes import Size, join_varying, largest, make_symbol, smallest
from lintorch.evaluator.truth import decide, known_items, truth_value
from lintorch.evaluator.values import (
    UNKNOWN,
    Array,
    ByExporter,
    Choice,
    Constant,
    External,
    Given,
    Held,
    Items,
    Number,
    Tensor,
    Unknown,
    Value,
    Via,
    is_own,
    make_number,
    size_in,
)

_READING = ("int", "float", "bool")
"""What reads the data of a tensor that it is given, as math's functions do."""
_ROUNDING = ("int", "operator.index", "round", "math.ceil", "math.floor", "math.trunc")


def keep_via(
    machine: Machine, node: ast.AST, name: str, value: Value, given: Value | None = None
) -> Value:
    """A number that went through a function, which it remembers if it comes from a size."""
    if isinstance(value, Number) and (value.data or value.own):
        whole = name in _READING or name.startswith("math.")
        return _keep_read(machine, node, name, value) if whole else value
    open_ended = isinstance(given, Unknown) or (isinstance(given, Array) and not given.via)
    if isinstance(value, Number) and value.varies is not False and not open_ended:
        before = given if isinstance(given, Number) else Number()
        via = Via(name, machine.spot(node), before.size, before.whole)
        return replace(value, via=value.via | {via})
    return value


def _keep_read(machine: Machine, node: ast.AST, name: str, value: Number) -> Number:
    """Data that was read; of `int(x.item())` the outer call is where that happens."""
    spot = machine.spot(node)
    kept = {each for each in value.via if not each.spot.is_within(spot)}
    return replace(value, via=frozenset({*kept, Via(name, spot, data=True)}))


def _convert(name: str) -> Handler:
    def convert(machine: Machine, node: ast.AST, given: Given) -> Value:
        value = given.pick(0)
        if value is None:
            return Constant(0)
        if name == "abs" and isinstance(value, Tensor) and value.size_of is None:
            return machine.call(node, External("torch.abs"), Given((value,)))
        found = [_convert_one(machine, name, each) for each in _alternatives(value)]
        return keep_via(machine, node, name, make_choice(tuple(found)), value)

    return convert


def _alternatives(value: Value) -> tuple[Value, ...]:
    return value.alternatives if isinstance(value, Choice) else (value,)


def _convert_one(machine: Machine, name: str, value: Value) -> Value:
    if isinstance(value, Constant):
        with suppress(Exception):
            return Constant(_PYTHON[name](value.value))
        return UNKNOWN
    if isinstance(value, (Tensor, Array)):
        made = isinstance(value, Tensor) and value.size_of is not None
        if made and isinstance(value, Tensor) and value.size_of is not None:
            return replace(value.size_of, via=value.via)
        data, own = _is_data(machine, value), is_own(value)
        return Number(None, name != "float", None, data=data, own=own)
    if isinstance(value, Number):
        if name == "float":
            return replace(value, whole=False)
        return convert_number(value, name)
    return Number(None, name in _ROUNDING or None)


_PYTHON: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "float": float,
    "round": round,
    "abs": abs,
    "operator.index": operator.index,
    "math.ceil": math.ceil,
    "math.floor": math.floor,
    "math.trunc": math.trunc,
}
for _name in _PYTHON:
    LIBRARY[_name] = _convert(_name)


def _compute(name: str) -> Handler:
    def compute(machine: Machine, node: ast.AST, given: Given) -> Value:
        values = given.positional
        if values and all(isinstance(each, Constant) for each in values):
            with suppress(Exception):
                plain = [each.value for each in values if isinstance(each, Constant)]
                return Constant(getattr(math, name)(*plain))
        numbers = [each for each in values if isinstance(each, Number)]
        data = any(_is_data(machine, v) for v in values)
        via = frozenset(via for each in numbers for via in each.via)
        whole = name in ("gcd", "isqrt", "comb", "factorial", "lcm")
        size = take_root(values[0]) if name == "sqrt" and values else None
        own, varying = any(map(is_own, values)), join_varying(n.varies for n in numbers)
        found = Number(size, whole, varying, data, False, via, own=own)
        return keep_via(machine, node, f"math.{name}", found, values[0] if values else None)

    return compute


for _name in ("sqrt", "log", "log2", "log10", "exp", "pow", "sin", "cos", "tan", "gcd", "isqrt", "comb", "prod", "fabs", "hypot", "atan", "atan2", "tanh", "erf", "factorial", "lcm", "fmod", "log1p", "copysign", "degrees", "radians"):  # fmt: skip
    LIBRARY[f"math.{_name}"] = _compute(_name)


@does("bool")
def to_bool(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`bool(x)`."""
    value = given.pick(0) or Constant(False)
    if isinstance(value, Tensor):
        data, own = _is_data(machine, value), is_own(value)
        read = Number(None, True, None, data=data, truth=True, own=own)
        return keep_via(machine, node, "bool", read)
    if isinstance(value, ByExporter):
        return value
    return truth_value(decide(machine, value), value)


def _bound(name: str) -> Handler:
    def bound(machine: Machine, node: ast.AST, given: Given) -> Value:
        values: tuple[Value, ...] | None = given.positional
        if len(given.positional) == 1:
            values = known_items(machine, given.positional[0])
            if values is None:
                each = item_of(machine, given.positional[0])
                return keep_via(machine, node, name, each if isinstance(each, Number) else UNKNOWN)
        compared = ask_keys(machine, node, given.keyword.get("key"), values or ())
        if len(compared) > 1:
            tell_ordered(machine, node, name, compared, chooses="key" in given.keyword)
        if "key" in given.keyword:
            return make_choice(values) if values else UNKNOWN
        least, sizes = 1 if name == "max" else 2, [size_in(each) for each in values or ()]
        chosen = _choose(machine, name, values or ())
        bound = next((size for size in sizes if isinstance(size, int) and size <= least), None)
        others = [size for size in sizes if isinstance(size, Size)]
        if bound is not None and not any(crosses_far_out(other, bound) for other in others):
            return chosen  # no size in use is smaller
        return keep_via(machine, node, name, chosen)

    return bound


def _choose(machine: Machine, name: str, values: tuple[Value, ...]) -> Value:
    sizes = [size_in(each) for each in values]
    if values and all(isinstance(each, Constant) for each in values):
        with suppress(Exception):
            pick = max if name == "max" else min
            return Constant(pick(each.value for each in values if isinstance(each, Constant)))
        return UNKNOWN
    numbers = [each for each in values if isinstance(each, Number)]
    tensors = [each for each in values if isinstance(each, (Tensor, Array))]
    if tensors or not numbers:
        data = any(_is_data(machine, each) for each in tensors)
        return Number(None, data=data) if tensors else UNKNOWN
    via = frozenset(via for each in numbers for via in each.via)
    known = [each for each in sizes if each is not None]
    if len(known) == len(values):
        found = make_number((largest if name == "max" else smallest)(*known), via)
        if isinstance(found, Number):
            return replace(found, varies=join_varying(n.varies for n in numbers))
        return found
    return Number(
        None,
        _join_wholes(values),
        join_varying(n.varies for n in numbers),
        any(n.data for n in numbers),
        False,
        via,
    )


def _join_wholes(values: tuple[Value, ...]) -> bool | None:
    """Whether all are ints, or all floats."""
    wholes = {
        each.whole if isinstance(each, Number) else _KINDS.get(type(each.value))
        for each in values
        if isinstance(each, (Number, Constant))
    }
    known = all(isinstance(each, (Number, Constant)) for each in values)
    return wholes.pop() if known and len(wholes) == 1 else None


_KINDS: dict[type, bool] = {int: True, float: False}


def _is_data(machine: Machine, value: Value) -> bool:
    """Whether it is data, or was read from it; whoever asks minds if that is only presumed."""
    if isinstance(value, Tensor):
        machine.presumed = machine.presumed or value.data is None
        return value.data is True
    if isinstance(value, Array):
        return value.traced
    return isinstance(value, Number) and value.data


LIBRARY["max"], LIBRARY["min"] = _bound("max"), _bound("min")


@does("sum")
def add_up(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`sum(items)`."""
    items = known_items(machine, given.pick(0) or UNKNOWN)
    total: Value = given.pick(1, "start") or Constant(0)
    if items is None:
        each = item_of(machine, given.pick(0) or UNKNOWN)
        listed = isinstance(each, Number) and each.data
        return each if isinstance(each, Tensor) or listed else UNKNOWN
    for item in items:
        total = combine_each(machine, node, "Add", total, item)
    return total


@does("divmod")
def divide_with_rest(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`divmod(a, b)`."""
    if len(given.positional) != 2:
        return UNKNOWN
    left, right = given.positional
    pair = [combine_each(machine, node, kind, left, right) for kind in ("FloorDiv", "Mod")]
    return Items("tuple", tuple(keep_via(machine, node, "divmod", each, left) for each in pair))


@does("pow")
def raise_to(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`pow(a, b)`."""
    if len(given.positional) != 2:
        return UNKNOWN
    return combine_each(machine, node, "Pow", *given.positional)


@does("len")
def count_items(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`len(x)`."""
    value = given.pick(0) or UNKNOWN
    if isinstance(value, Tensor):
        if value.shape:
            return keep_via(machine, node, "len", make_number(value.shape[0]))
        if value.rows is not None:
            return keep_via(machine, node, "len", make_number(value.rows))
        if value.origin == "input":
            machine.presumed = machine.presumed or value.data is None
            known = make_number(make_symbol("B")) if value.data else Number(None, True)
            return keep_via(machine, node, "len", known)
        found = Number(None, True, None)
        return keep_via(machine, node, "len", found)
    if isinstance(value, Items) and value.kind == "Size":
        note_length_asked(machine, value)
        if value.guessed and machine.here.name.endswith("forward"):  # not a helper with work done
            return Number(None, True, False)
    items = known_items(machine, value)
    if items is not None:
        return Constant(len(items))
    if isinstance(value, Items) and value.length is not None:
        return value.length
    if isinstance(value, Held) and value.kind == "object":
        return _count_object(machine, node, value)
    return Number(None, True)


def _count_object(machine: Machine, node: ast.AST, value: Held) -> Value:
    from lintorch.evaluator.join import ITEMS

    held = machine.state.read(value.address)
    if held.get(ITEMS) is not None:
        return Constant(len(held[ITEMS]))
    entries = held.get("entries")
    if isinstance(entries, Held) and "open" not in machine.state.read(entries.address):
        return Constant(len(machine.state.read(entries.address)))
    method = machine.read_attribute(node, value, "__len__")
    return machine.call(node, method, Given()) if method != UNKNOWN else Number(None, True)
