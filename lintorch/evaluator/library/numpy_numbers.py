"""Functions of NumPy that models' constructors work numbers out with; of arrays nothing is said here."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lintorch.evaluator.arithmetic import mix_arrays
from lintorch.evaluator.library.table import LIBRARY, Handler
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import Constant, Given, Held, Items, Value

_PLAIN: dict[str, Callable[..., Any]] = {
    "ceil": lambda x: float(math.ceil(x)),
    "floor": lambda x: float(math.floor(x)),
    "round": lambda x, digits=0: float(round(x, digits)),
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "exp": math.exp,
    "abs": abs,
    "power": pow,
    "int32": int,
    "int64": int,
    "float32": float,
    "prod": math.prod,
    "sum": sum,
}


def _compute(name: str) -> Handler:
    def compute(machine: Machine, node: ast.AST, given: Given) -> Value:
        plain = [_read_plain(machine, each) for each in given.positional]
        if plain and None not in plain and not given.keyword and not given.open:
            with suppress(Exception):
                return Constant(_PLAIN[name](*plain))
        return mix_arrays(given.values)

    return compute


def _read_plain(machine: Machine, value: Value) -> Any:
    """A number, or a list of numbers, that is known; None where it is not."""
    if isinstance(value, Constant) and isinstance(value.value, (int, float)):
        return value.value
    items = known_items(machine, value) if isinstance(value, (Items, Held)) else None
    numbers = [_read_plain(machine, each) for each in items or ()]
    return numbers if items is not None and None not in numbers else None


for _name in _PLAIN:
    LIBRARY[f"numpy.{_name}"] = _compute(_name)
