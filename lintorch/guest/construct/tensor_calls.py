"""Tensors that a text makes: `torch.randn(1, 3, 64, 64).cuda()` and its like, read and not called."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from lintorch.guest.construct.literal_values import UnknownValueError, evaluate_literal
from lintorch.record.models import Input

_FLOAT_MAKERS = frozenset(("randn", "rand", "zeros", "ones", "empty"))
_MOVES = frozenset(
    ("to", "cuda", "cpu", "eval", "float", "half", "double", "long", "requires_grad_")
)
"""Methods that give back what they are called on, or the same on another device."""
_LONGEST_AXIS = 5000
"""Tensors with a longer axis than this are not fed: they would take memory and time."""
_DTYPES = {"long": "int64", "float": "float32", "int": "int32", "double": "float64"}


def strip_moves(node: ast.expr | None) -> ast.expr | None:
    """The call inside `….cuda()`, `….to(device)` and their like."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _MOVES
    ):
        node = node.func.value
    return node


def get_last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`, and of `c`; "" for anything else."""
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))


def read_tensor_call(node: ast.expr | None, known: Mapping[str, Any]) -> Input | None:
    """The tensor that a call makes; None for anything else. Raises UnknownError."""
    if not isinstance(node, ast.Call):
        return None
    made = get_last_name(node.func)
    if made not in _FLOAT_MAKERS and made != "randint":
        return None
    args = [
        evaluate_literal(part, known) for part in node.args if not isinstance(part, ast.Starred)
    ]
    named = {part.arg: part.value for part in node.keywords}
    if "size" in named:
        args.append(evaluate_literal(named["size"], known))
    whole = made == "randint"
    shape = args[-1] if args and isinstance(args[-1], (tuple, list)) else () if whole else args
    if not shape or not all(isinstance(size, int) and 0 < size < _LONGEST_AXIS for size in shape):
        raise UnknownValueError("shape")
    dtype = get_last_name(named["dtype"]) if "dtype" in named else "int64" if whole else "float32"
    low, high = _read_bounds([part for part in args if isinstance(part, int)] if whole else [])
    return Input("", _DTYPES.get(dtype, dtype), tuple(shape), low, high)


def _read_bounds(given: list[int]) -> tuple[int, int]:
    """Lowest value and the one after the highest, as `randint` is given them; 0, 0 for none."""
    low, high = (given[0] if len(given) > 1 else 0), (given[-1] if given else 0)
    return (low, high) if high > low else (0, 0)
