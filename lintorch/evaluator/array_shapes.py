"""The shape of what functions of NumPy make; None where it is not sure."""

from __future__ import annotations

from lintorch.evaluator.machine import Machine
from lintorch.evaluator.operators.arguments import make_fresh
from lintorch.evaluator.operators.broadcast import broadcast_shapes
from lintorch.evaluator.operators.tensor_types import Shape, ShapeError, UndecidedError
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import Array, Constant, Given, Held, Items, Number, Value

_COUNTED = {
    "hanning": (0, "M"), "hamming": (0, "M"), "blackman": (0, "M"), "bartlett": (0, "M"),
    "kaiser": (0, "M"), "linspace": (2, "num"), "logspace": (2, "num"), "geomspace": (2, "num"),
}  # fmt: skip
"""What makes a row of numbers, and the argument that counts them."""
_FILLED = frozenset({"zeros", "ones", "empty", "full"})
_SQUARE = frozenset({"eye", "identity", "tri"})
_ALIKE = frozenset(
    {
        "triu", "tril", "astype", "copy", "ascontiguousarray", "zeros_like", "ones_like", "empty_like",
        "full_like", "abs", "absolute", "negative", "clip", "sqrt", "exp", "log", "sin", "cos", "tanh",
        "square", "flip", "fliplr", "flipud", "roll", "logical_not", "float32", "float64", "int64",
    }
)  # fmt: skip
"""What gives the shape of the first array that it is given."""


def infer_array_shape(machine: Machine, path: str, given: Given) -> Shape | None:
    """What a function or a method of NumPy gives; `path` is its full name."""
    name = path.rpartition(".")[2]
    if given.open:
        return None
    if name in _COUNTED:
        count = given.pick(*_COUNTED[name])
        return None if count is None else (_read_size(count),)
    if name == "arange":
        alone = len(given.positional) == 1 and not given.keyword.keys() - {"dtype"}
        return (_read_size(given.positional[0]),) if alone else None
    if name in _FILLED:
        return _read_shape(machine, given.pick(0, "shape"))
    if name in _SQUARE:
        rows = given.pick(0, "N") or given.pick(0, "n")
        columns = given.pick(1, "M") if name != "identity" else None
        return None if rows is None else (_read_size(rows), _read_size(columns or rows))
    if name in _ALIKE:
        held = given.pick(0)
        return held.shape if isinstance(held, Array) else None
    return None


def join_array_shapes(left: Value, right: Value) -> Shape | None:
    """Of what `left + right` gives."""
    one, other = (_shape_of(each) for each in (left, right))
    if one is None or other is None:
        return None
    try:
        return broadcast_shapes(one, other)
    except (ShapeError, UndecidedError):
        return None


def _shape_of(value: Value) -> Shape | None:
    if isinstance(value, Array):
        return value.shape
    return () if isinstance(value, (Number, Constant)) else None


def _read_shape(machine: Machine, value: Value | None) -> Shape | None:
    if isinstance(value, (Held, Items)):
        sizes = known_items(machine, value)
        return None if sizes is None else tuple(map(_read_size, sizes))
    return (_read_size(value),) if isinstance(value, (Number, Constant)) else None


def _read_size(value: Value) -> Dim:
    if isinstance(value, Constant) and isinstance(value.value, int):
        return value.value
    known = value.size if isinstance(value, Number) else None
    return make_fresh() if known is None else known
