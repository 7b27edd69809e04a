"""Operators on numbers, texts, lists and tensors."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from lintorch.evaluator.array_shapes import join_array_shapes
from lintorch.evaluator.array_types import combine_types
from lintorch.evaluator.join import make_choice
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.sizes import Dim, Operation, Size, join_varying, make_operation, varies
from lintorch.evaluator.torch_calls import call_torch
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    OPEN_NUMBER,
    UNKNOWN,
    Array,
    Choice,
    Constant,
    Held,
    Items,
    Number,
    Tensor,
    Unknown,
    Value,
    is_number,
    make_number,
    name_setting,
    size_in,
)

OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "Add": (operator.add, "torch.add"),
    "Sub": (operator.sub, "torch.sub"),
    "Mult": (operator.mul, "torch.mul"),
    "Div": (operator.truediv, "torch.div"),
    "FloorDiv": (operator.floordiv, "torch.floor_divide"),
    "Mod": (operator.mod, "torch.remainder"),
    "Pow": (operator.pow, "torch.pow"),
    "MatMult": (operator.matmul, "torch.matmul"),
    "BitAnd": (operator.and_, "torch.bitwise_and"),
    "BitOr": (operator.or_, "torch.bitwise_or"),
    "BitXor": (operator.xor, "torch.bitwise_xor"),
    "LShift": (operator.lshift, "torch.bitwise_left_shift"),
    "RShift": (operator.rshift, "torch.bitwise_right_shift"),
}
_LARGE = 1 << 64
_LONG = 4096


def combine_each(machine: Machine, node: ast.AST, kind: str, left: Value, right: Value) -> Value:
    """The same for each alternative of two values."""
    if isinstance(left, Choice):
        with machine.doubting():
            found = spread(lambda v: combine_each(machine, node, kind, v, right), left)
        return make_choice(found)
    if isinstance(right, Choice):
        with machine.doubting():
            found = spread(lambda v: combine_values(machine, node, kind, left, v), right)
        return make_choice(found)
    return combine_values(machine, node, kind, left, right)


def combine_values(machine: Machine, node: ast.AST, kind: str, left: Value, right: Value) -> Value:
    """The value of `left OPERATOR right`; `kind` is the class of the ast operator."""
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        result = call_torch(machine, node, OPERATORS[kind][1], (left, right), {})
        return _type_quotient(left, result) if kind == "Div" else result
    if isinstance(left, Array) or isinstance(right, Array):
        mixed = replace(mix_arrays((left, right)), dtype=combine_types(kind, left, right))
        return replace(mixed, shape=join_array_shapes(left, right))
    if isinstance(left, Constant) and isinstance(right, Constant):
        return _combine_constants(kind, left, right)
    if is_number(left) and is_number(right):
        return combine_numbers(kind, left, right)
    if kind in ("Add", "Mult") and (found := _combine_items(machine, kind, left, right)):
        return found
    if kind == "BitOr" and isinstance(left, Held) and isinstance(right, Held):
        return _join_dictionaries(machine, left, right)
    if is_number(left) or is_number(right):
        return _combine_with_setting(kind, left, right)
    return UNKNOWN


def _type_quotient(left: Value, found: Value) -> Value:
    """A quotient of whole numbers by what is not known: a float."""
    whole = isinstance(left, Tensor) and left.dtype is not None and left.dtype.startswith("int")
    if whole and isinstance(found, Tensor) and found.dtype is None:
        return replace(found, dtype="float32")
    return found


def mix_arrays(given: Iterable[Value]) -> Array:
    """An array that is worked out of others, of tensors and of numbers."""
    values = [each for each in given if isinstance(each, (Array, Tensor, Number))]
    traced = any(isinstance(v, Tensor) or (isinstance(v, Array) and v.traced) for v in values)
    return Array(None, traced=traced, via=frozenset(via for each in values for via in each.via))


def _combine_with_setting(kind: str, left: Value, right: Value) -> Value:
    """A number with something unknown: a setting is one still, a size that varies varies still.

    Not so where it is divided by what may be another size, as `h // length` is.
    """
    number, other = (left, right) if is_number(left) else (right, left)
    may_differ = isinstance(other, Unknown) and (kind != "FloorDiv" or other.path)
    if isinstance(number, Number) and number.varies and may_differ:
        return Number(None, None, True, number.data, False, number.via)
    return other if name_setting(other) else UNKNOWN


def _join_dictionaries(machine: Machine, left: Held, right: Held) -> Value:
    """`{"a": 1} | {"b": 2}`."""
    if left.kind != "dict" or right.kind != "dict":
        return UNKNOWN
    both = {**machine.state.read(left.address), **machine.state.read(right.address)}
    return machine.hold("dict", both)


def _combine_constants(kind: str, left: Constant, right: Constant) -> Value:
    one, other = left.value, right.value
    if kind == "Pow" and not (isinstance(other, (int, float)) and abs(other) < 64):
        return UNKNOWN
    if kind in ("Mult", "LShift"):
        sized = [len(each) for each in (one, other) if isinstance(each, (str, bytes))]
        numbers = [abs(each) for each in (one, other) if isinstance(each, (int, float))]
        if (sized and sized[0] * max(numbers, default=0) > _LONG) or max(
            numbers, default=0
        ) > _LARGE:
            return UNKNOWN
        if kind == "LShift" and max(numbers) > 64:
            return UNKNOWN
    with suppress(Exception):
        return Constant(OPERATORS[kind][0](one, other))
    return UNKNOWN


def combine_numbers(kind: str, left: Value, right: Value) -> Value:
    """Arithmetic of two Python numbers, of which one at least is not written down."""
    given = [each for each in (left, right) if isinstance(each, Number)]
    size = _combine_sizes(kind, size_in(left), size_in(right))
    if kind == "Pow" and right == Constant(0.5):
        size = take_root(left)
    if isinstance(size, int):
        return Constant(size)
    whole = _is_whole(kind, left, right)
    varying = join_varying(each.varies for each in given)
    if size is not None and (whole or kind == "Div"):
        varying = varies(size)
    via = frozenset(via for each in given for via in each.via)
    data, own = any(each.data for each in given), any(each.own for each in given)
    return Number(size, whole, varying, data, False, via, own=own)


def take_root(value: Value) -> Dim | None:
    """The root of what comes from sizes, as a size that is no int."""
    if isinstance(value, Number) and value.size is not None:
        return make_operation("sqrt", value.size)
    return None


def _combine_sizes(kind: str, left: Dim | None, right: Dim | None) -> Dim | None:
    if left is None or right is None:
        return None
    with suppress(ZeroDivisionError):
        if kind in ("Add", "Sub", "Mult", "FloorDiv", "Mod"):
            return OPERATORS[kind][0](left, right)  # type: ignore[no-any-return]
        if kind == "Div":
            return make_operation("/", left, right)
        if kind == "Pow" and right == 2:
            return left * left
        if kind == "Pow":
            return make_operation("**", left, right)
    return None


def _is_whole(kind: str, left: Value, right: Value) -> bool | None:
    if kind == "Div":
        return False
    kinds = {_wholeness(left), _wholeness(right)}
    return False if False in kinds else None if None in kinds else True


def _wholeness(value: Value) -> bool | None:
    if isinstance(value, Constant):
        return isinstance(value.value, int)
    return value.whole if isinstance(value, Number) else None


def _combine_items(machine: Machine, kind: str, left: Value, right: Value) -> Value | None:
    if kind == "Mult":
        held, times = (right, left) if is_number(left) else (left, right)
        items, count = known_items(machine, held), size_in(times)
        if isinstance(held, Constant) or not isinstance(held, (Held, Items)):
            return None
        known = items is not None and isinstance(count, int) and len(items) * count < _LONG
        each = items[0] if items and len(set(items)) == 1 else UNKNOWN
        repeated = items * count if known and items is not None and isinstance(count, int) else None
        return _like(machine, held, repeated, each)
    if isinstance(left, (Held, Items)) and isinstance(right, (Held, Items)):
        first, last = known_items(machine, left), known_items(machine, right)
        joined = first + last if first is not None and last is not None else None
        return _like(machine, left, joined, UNKNOWN)
    return None


def _like(machine: Machine, held: Value, items: tuple[Value, ...] | None, each: Value) -> Value:
    if isinstance(held, Held):
        return machine.hold_list(items, each) if held.kind == "list" else UNKNOWN
    return Items("tuple", items, each)


def negate_value(machine: Machine, node: ast.AST, value: Value) -> Value:
    """`-value`."""
    if isinstance(value, Tensor):
        return call_torch(machine, node, "torch.neg", (value,), {})
    if isinstance(value, Constant):
        with suppress(Exception):
            return Constant(-value.value)
        return UNKNOWN
    if isinstance(value, Number):
        size = None if value.size is None else value.size * -1
        return make_negative(value, size)
    return replace(value) if isinstance(value, Array) else UNKNOWN


def make_negative(value: Number, size: Dim | None) -> Value:
    """A number like another, with the opposite size."""
    return make_number(size) if isinstance(size, int) else replace(value, size=size, truth=False)


def convert_number(value: Value, name: str) -> Value:
    """`int(value)`, `round(value)`, `math.ceil(value)`: the whole number made of it."""
    if not isinstance(value, Number) or value.size is None:
        if isinstance(value, Number):
            return replace(value, size=None, whole=True, truth=False)
        return OPEN_NUMBER
    if value.whole:
        return value
    return replace(value, size=_round_quotient(value.size, name), whole=True)


def _round_quotient(size: Dim, name: str) -> Dim | None:
    """What rounding makes of a quotient of two sizes."""
    product = () if isinstance(size, int) else size.terms[0][0]
    atom = product[0] if len(product) == 1 else None
    if not isinstance(atom, Operation) or atom.kind != "/" or size != Size(((product, 1),)):
        return None
    left, right = atom.operands
    if name in ("int", "math.floor", "math.trunc"):
        return left // right
    if name == "math.ceil":
        return (left + right - 1) // right
    return None


def spread(function: Callable[[Value], Value], value: Value, most: int = 4) -> tuple[Value, ...]:
    """What a function gives of each alternative of a value."""
    given = value.alternatives if isinstance(value, Choice) else (value,)
    return tuple(function(each) for each in given[:most])
