"""`math.isnan(x)` and its kin, of NumPy too: decided where the number is known, as defaults are."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from lintorch.evaluator.arithmetic import mix_arrays
from lintorch.evaluator.library.table import LIBRARY, Handler
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import UNKNOWN, Constant, External, Given, Value

_TESTS: dict[str, Callable[[float], bool]] = {
    "isnan": math.isnan,
    "isinf": math.isinf,
    "isfinite": math.isfinite,
}
_NAMED = {"nan": math.nan, "NaN": math.nan, "NAN": math.nan, "inf": math.inf, "Inf": math.inf}
_HOLDERS = ("math", "numpy", "torch")


def _test(holder: str, name: str) -> Handler:
    def test(machine: Machine, node: ast.AST, given: Given) -> Value:
        sure = len(given.positional) == 1 and not given.open and not given.keyword
        number = _read_number(given.positional[0]) if sure else None
        if number is not None:
            return Constant(_TESTS[name](number))
        return mix_arrays(given.values) if holder == "numpy" else UNKNOWN

    return test


def _read_number(value: Value) -> float | None:
    """A number that is known, by its name too."""
    if isinstance(value, External):
        holder, _, name = value.path.rpartition(".")
        return _NAMED.get(name) if holder in _HOLDERS else None
    known = value.value if isinstance(value, Constant) else None
    return known if isinstance(known, (int, float)) else None


for _name in _TESTS:
    LIBRARY[f"math.{_name}"], LIBRARY[f"numpy.{_name}"] = (
        _test("math", _name),
        _test("numpy", _name),
    )
