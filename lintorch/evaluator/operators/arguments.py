"""Reads what shape functions are given: sizes that may be open, one for all axes or one for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from lintorch.evaluator.far_sizes import never_meet
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    ShapeError,
    TensorType,
    UndecidedError,
    wrap_axis,
)
from lintorch.evaluator.sizes import (
    COUNTED,
    Atom,
    Dim,
    Operation,
    Size,
    Symbol,
    compare,
    make_operation,
    make_symbol,
    upper_bound,
)

_NUMBERS = count(1)


def make_fresh(*sizes: Dim) -> Size:
    """A size that is like no other; it varies where those do that it comes from."""
    return make_operation("?", make_symbol(f"s{next(_NUMBERS)}", None), *sizes)


def is_unnamed(symbol: Symbol) -> bool:
    """Whether a symbol only tells a fresh size from others."""
    return symbol.varies is None and symbol.name[:1] == "s" and symbol.name[1:].isdigit()


def is_fresh(size: Dim) -> bool:
    """Whether nothing is known of a size."""
    return isinstance(size, Size) and any(_is_open(atom) for atom in size.atoms)


def _is_open(atom: Atom) -> bool:
    return isinstance(atom, Operation) and atom.kind == "?"


def make_counted() -> Size:
    """A size that data decide, such as how many elements are not 0: it varies, and may be 0."""
    return make_operation("?", make_symbol(f"{COUNTED}{next(_NUMBERS)}"))


def as_size(value: Any) -> Dim:
    """A size; a fresh one where it is open. Raises UndecidedError for what is no size."""
    if value is OPEN:
        return make_fresh()
    if isinstance(value, (int, Size)):
        return value
    raise UndecidedError


def as_sizes(value: Any, many: int | None = None) -> tuple[Dim, ...]:
    """Sizes given as one for all `many` axes, as one for each, or one by one behind a star."""
    if isinstance(value, (list, tuple)):
        if len(value) == 1 and isinstance(value[0], (list, tuple)):
            return as_sizes(value[0], many)
        if len(value) == 1 and value[0] is OPEN and many is None:  # one size, or a list of them
            raise UndecidedError
        found = tuple(as_size(each) for each in value)
        return found * many if many and len(found) == 1 else found
    if value is OPEN and many is None:
        raise UndecidedError
    return (as_size(value),) * (many or 1)


def as_number(value: Any) -> int:
    """An int that must be known. Raises UndecidedError where it is not."""
    if isinstance(value, int):
        return value
    raise UndecidedError


def as_axis(value: Any, rank: int) -> int:
    """An axis counted from the front. Raises ShapeError where there is none, and UndecidedError."""
    return wrap_axis(as_number(value), rank)


def as_axes(value: Any, rank: int) -> tuple[int, ...]:
    """Several axes counted from the front."""
    given = value if isinstance(value, (list, tuple)) else (value,)
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = given[0]
    axes = tuple(as_axis(each, rank) for each in given)
    for axis in axes:
        if axes.count(axis) > 1:
            raise ShapeError(f"dim {axis} appears multiple times in the list of dims")
    return axes


def as_tensors(value: Any) -> Sequence[TensorType]:
    """Tensors in a list. Raises UndecidedError where one is none."""
    if isinstance(value, (list, tuple)):
        if len(value) == 1 and isinstance(value[0], (list, tuple)):
            return as_tensors(value[0])
        if all(isinstance(each, TensorType) for each in value):
            return value
    raise UndecidedError


def as_tensor(value: Any) -> TensorType:
    """A tensor. Raises UndecidedError for anything else."""
    if isinstance(value, TensorType):
        return value
    raise UndecidedError


def multiply_sizes(sizes: Iterable[Dim]) -> Dim:
    """The product of sizes; 1 of none."""
    product: Dim = 1
    for size in sizes:
        product = product * size
    return product


def show_sizes(sizes: Iterable[Dim]) -> str:
    """Sizes as torch prints them: `[2, C, H // 2]`."""
    return f"[{', '.join(map(str, sizes))}]"


def cross_sizes(sizes: Iterable[Dim]) -> str:
    """Sizes as torch prints those of matrices: `2x3`."""
    return "x".join(f"({each})" if " " in str(each) else str(each) for each in sizes)


def replace_axis(shape: Shape, axis: int, *sizes: Dim) -> Shape:
    """A shape with other sizes, or none, at the place of one axis."""
    return (*shape[:axis], *sizes, *shape[axis + 1 :])


def is_below(left: Dim, right: Dim) -> bool:
    """Whether a size is surely smaller."""
    return compare(left, "<", right) is True


def differ_surely(left: Dim, right: Dim, *, stretched: bool = False) -> bool:
    """Whether two sizes are never the same; `stretched`: nor is one of them 1."""
    if stretched and any(upper_bound(each) == 1 for each in (left, right)):
        return False
    return compare(left, "==", right) is False or never_meet(left, right, stretched=stretched)
