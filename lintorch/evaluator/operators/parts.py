"""Operators that take a tensor apart along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_axis,
    as_number,
    as_size,
    as_tensor,
    differ_surely,
    replace_axis,
    show_sizes,
)
from lintorch.evaluator.operators.register import shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    ShapeError,
    TensorType,
    UndecidedError,
    require,
)
from lintorch.evaluator.sizes import Dim, compare, floor_divide, take_remainder

_HOMES = ("torch", "torch.Tensor")
_MOST_PARTS = 4096


def _list_parts(tensor: TensorType, axis: int, sizes: Sequence[Dim]) -> tuple[TensorType, ...]:
    return tuple(TensorType(replace_axis(tensor.sizes, axis, s), tensor.dtype) for s in sizes)


@shape_of(*spell_names("split split_with_sizes", *_HOMES))
def split_axis(
    input: Any = None,
    split_size: Any = None,
    dim: Any = 0,
    tensor: Any = None,
    split_size_or_sections: Any = None,
    split_sizes: Any = None,
) -> tuple[TensorType, ...]:
    """Parts of one axis: all of one size but the last, or of the sizes given."""
    given = as_tensor(input if tensor is None else tensor)
    options = (split_size, split_size_or_sections, split_sizes)
    asked = next((each for each in options if each is not None), OPEN)
    require(given.rank > 0, "split expects at least a 1-dimensional tensor")
    axis = as_axis(dim, given.rank)
    if isinstance(asked, (list, tuple)):
        return _split_by_sizes(given, axis, dim, [as_size(each) for each in asked])
    return _list_parts(given, axis, _cut_evenly(given.sizes[axis], as_size(asked)))


def _split_by_sizes(
    tensor: TensorType, axis: int, named: Any, sizes: Sequence[Dim]
) -> tuple[TensorType, ...]:
    total: Dim = 0
    for size in sizes:
        total = total + size
    if differ_surely(total, tensor.sizes[axis]):
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {tensor.sizes[axis]} (input "
            f"tensor's size at dimension {named}), but got split_sizes={show_sizes(sizes)}"
        )
    return _list_parts(tensor, axis, sizes)


def _cut_evenly(size: Dim, part: Dim) -> list[Dim]:
    """The sizes of parts. Raises UndecidedError where it is not known how many there are."""
    if compare(part, "<=", 0):
        raise ShapeError(f"split expects split_size be non-negative, but got split_size={part}")
    many = floor_divide(size, part)
    rest = take_remainder(size, part)
    if not isinstance(many, int) or compare(rest, "==", 0) is None or many > _MOST_PARTS:
        raise UndecidedError
    parts: list[Dim] = [part for _ in range(many)]
    return parts if rest == 0 and many else [*parts, rest]


@shape_of(*spell_names("chunk", *_HOMES))
def chunk_axis(input: Any, chunks: Any, dim: Any = 0) -> tuple[TensorType, ...]:
    """At most so many parts of one axis, as even as splitting by one size makes them."""
    tensor = as_tensor(input)
    require(tensor.rank > 0, "chunk expects at least a 1-dimensional tensor")
    axis, many = as_axis(dim, tensor.rank), as_number(chunks)
    if many <= 0:
        raise ShapeError(f"chunk expects `chunks` to be greater than 0, got: {many}")
    size = tensor.sizes[axis]
    if isinstance(size, int):
        even = -(-size // many)
        return _list_parts(tensor, axis, _cut_evenly(size, even) if even else [0] * many)
    if take_remainder(size, many) == 0:
        return _list_parts(tensor, axis, [floor_divide(size, many)] * many)
    part = floor_divide(size + (many - 1), many)
    if many != 2:  # sizes such as 4 in 3 chunks give 2
        raise UndecidedError
    return _list_parts(tensor, axis, [part, size - part])


@shape_of(*spell_names("tensor_split", *_HOMES))
def split_nearly_even(
    input: Any,
    indices_or_sections: Any = None,
    sections: Any = None,
    indices: Any = None,
    dim: Any = 0,
) -> tuple[TensorType, ...]:
    """Just so many parts of one axis, the first ones one larger where there is a rest."""
    tensor = as_tensor(input)
    options = (indices_or_sections, sections, indices)
    given = next((each for each in options if each is not None), None)
    require(
        tensor.rank > 0,
        "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims",
    )
    axis = as_axis(dim, tensor.rank)
    size = tensor.sizes[axis]
    if isinstance(given, int) and isinstance(size, int) and given > 0:
        even, rest = divmod(size, given)
        return _list_parts(tensor, axis, [even + (i < rest) for i in range(given)])
    if isinstance(given, int) and take_remainder(size, given) == 0:
        return _list_parts(tensor, axis, [floor_divide(size, given)] * given)
    raise UndecidedError


@shape_of(*spell_names("unbind", *_HOMES))
def unbind_axis(input: Any, dim: Any = 0) -> tuple[TensorType, ...]:
    """One tensor for each place of an axis."""
    tensor = as_tensor(input)
    if not tensor.rank:
        raise ShapeError("Dimension specified as 0 but tensor has no dimensions")
    axis = as_axis(dim, tensor.rank)
    many = tensor.sizes[axis]
    if not isinstance(many, int) or many > _MOST_PARTS:
        raise UndecidedError
    return (TensorType(replace_axis(tensor.sizes, axis), tensor.dtype),) * many
