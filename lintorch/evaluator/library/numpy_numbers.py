"""Functions of NumPy that models' constructors work numbers out with; of arrays nothing is said here."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from lintorch.evaluator.arithmetic import combine_each, mix_arrays
from lintorch.evaluator.array_types import infer_array_type
from lintorch.evaluator.library.numbers import keep_via
from lintorch.evaluator.library.table import LIBRARY, Handler, does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.sizes import join_varying
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    UNKNOWN,
    Array,
    Constant,
    External,
    Given,
    Held,
    Items,
    Number,
    Tensor,
    Value,
)

_PLAIN: dict[str, Callable[..., Any]] = {
    "ceil": lambda x: float(math.ceil(x)),
    "floor": lambda x: float(math.floor(x)),
    "round": lambda x, digits=0: float(round(x, digits)),
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "exp": math.exp,
    "log1p": math.log1p,
    "rint": lambda x: float(round(x)),
    "trunc": lambda x: float(math.trunc(x)),
    "abs": abs,
    "power": pow,
    "int32": int,
    "int64": int,
    "float32": float,
    "minimum": min,
    "maximum": max,
    "multiply": lambda x, y: x * y,
    "prod": math.prod,
    "sum": sum,
}


def _compute(name: str) -> Handler:
    def compute(machine: Machine, node: ast.AST, given: Given) -> Value:
        plain = [_read_plain(machine, each) for each in given.positional]
        if plain and None not in plain and not given.keyword and not given.open:
            with suppress(Exception):
                return Constant(_PLAIN[name](*plain))
        values = given.values
        traced = any(isinstance(v, Tensor) or (isinstance(v, Array) and v.traced) for v in values)
        sizes = [] if given.open else [each for v in values for each in _list_sizes(machine, v)]
        if not sizes or traced:
            found_type = infer_array_type(machine, f"numpy.{name}", given)
            return replace(mix_arrays(values), dtype=found_type)
        found = _work_out(machine, node, name, sizes, given)
        return (
            found if name in _BOUNDS else keep_via(machine, node, f"numpy.{name}", found, values[0])
        )

    return compute


def _list_sizes(machine: Machine, value: Value) -> tuple[Number, ...]:
    """The numbers that come from sizes in what a function is given."""
    items = known_items(machine, value) if isinstance(value, (Items, Held)) else (value,)
    return tuple(v for v in items or () if isinstance(v, Number) and not v.data)


def _work_out(
    machine: Machine, node: ast.AST, name: str, sizes: Sequence[Number], given: Given
) -> Value:
    """What becomes of sizes: a number of NumPy, which is the same as a plain one."""
    items = known_items(machine, given.positional[0]) if given.positional else None
    if name == "prod" and items and len(given.values) == 1:
        product = items[0]
        for each in items[1:]:
            product = combine_each(machine, node, "Mult", product, each)
        return product
    via = frozenset(v for each in sizes for v in each.via)
    return Number(None, name in _WHOLE, join_varying(n.varies for n in sizes), False, False, via)


_WHOLE = frozenset({"int32", "int64", "prod", "sum"})
_BOUNDS = frozenset({"multiply"})
"""What gives a size of torch.export again where it is given one."""


def _read_plain(machine: Machine, value: Value) -> Any:
    """A number, or a list of numbers, that is known; None where it is not."""
    if isinstance(value, Constant) and isinstance(value.value, (int, float)):
        return value.value
    items = known_items(machine, value) if isinstance(value, (Items, Held)) else None
    numbers = [_read_plain(machine, each) for each in items or ()]
    return numbers if items is not None and None not in numbers else None


for _name in _PLAIN:
    LIBRARY[f"numpy.{_name}"] = _compute(_name)


@does("numpy.number.astype", "float.astype", "int.astype")
def convert_kind(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`np.ceil(…).astype(int)`."""
    number, kind = given.pick(0), given.pick(1, "dtype")
    named = kind.path if isinstance(kind, External) else getattr(kind, "value", "")
    whole = "int" in str(named) or kind == External("int")
    if isinstance(number, Constant):
        return Constant(int(number.value) if whole else number.value)
    if isinstance(number, Number):
        known = number.size if not whole or number.whole else None
        return replace(number, size=known, whole=whole or number.whole)
    return UNKNOWN


@does("numpy.number.item", "float.item", "int.item", "numpy.number.tolist")
def take_item(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`np.prod(…).item()`, which is the same as a plain number."""
    return given.pick(0) or UNKNOWN
