"""Operators that join tensors along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_axis,
    as_tensors,
    differ_surely,
    is_fresh,
    replace_axis,
    show_sizes,
)
from lintorch.evaluator.operators.broadcast import broadcast_operands
from lintorch.evaluator.operators.promote_dtypes import promote_operands
from lintorch.evaluator.operators.register import shape_of
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    ShapeError,
    TensorType,
    UndecidedError,
    require,
)
from lintorch.evaluator.sizes import Dim

_HOMES = ("torch", "torch.Tensor")
_MOST_PARTS = 4096


@shape_of("torch.cat", "torch.concat", "torch.concatenate")
def join_along_axis(tensors: Any, dim: Any = 0) -> TensorType:
    """Tensors behind each other along one axis."""
    given = as_tensors(tensors)
    if not given:
        raise UndecidedError  # nobody joins nothing: what fills the list was not followed
    dtype = promote_operands(*given)
    kept = [tensor for tensor in given if tensor.shape != (0,)] or [given[0]]
    rank = kept[0].rank
    axis = as_axis(dim, rank)
    if not rank:
        raise ShapeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    shape = kept[0].sizes
    for number, tensor in enumerate(kept[1:], 1):
        _require_joinable(shape, tensor, axis, number)
    total: Dim = 0
    for tensor in kept:
        total = total + tensor.sizes[axis]
    sizes = (_prefer_known(tensor.sizes[i] for tensor in kept) for i in range(rank))
    return TensorType(replace_axis(tuple(sizes), axis, total), dtype)


def _require_joinable(shape: Sequence[Dim], tensor: TensorType, axis: int, number: int) -> None:
    if tensor.rank != len(shape):
        raise ShapeError(
            f"Tensors must have same number of dimensions: got {len(shape)} and {tensor.rank}"
        )
    for other, (left, right) in enumerate(zip(shape, tensor.sizes, strict=True)):
        if other != axis and differ_surely(left, right):
            raise ShapeError(
                f"Sizes of tensors must match except in dimension {axis}. Expected size {left} but "
                f"got size {right} for tensor number {number} in the list."
            )


def _prefer_known(sizes: Any) -> Dim:
    """One of several sizes that must be the same: a number where there is one, else what is not fresh."""
    found: list[Dim] = sorted(
        sizes, key=lambda size: 0 if isinstance(size, int) else 1 + is_fresh(size)
    )
    return found[0]


@shape_of("torch.stack")
def stack_tensors(tensors: Any, dim: Any = 0) -> TensorType:
    """Tensors of one shape side by side along a further axis."""
    given = as_tensors(tensors)
    if not given:
        raise UndecidedError
    first = given[0].sizes
    for number, tensor in enumerate(given):
        pairs = zip(first, tensor.sizes, strict=False)
        if tensor.rank != len(first) or any(differ_surely(a, b) for a, b in pairs):
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {show_sizes(first)} at entry 0 "
                f"and {show_sizes(tensor.sizes)} at entry {number}"
            )
    axis = as_axis(dim, len(first) + 1)
    sizes = [_prefer_known(tensor.sizes[i] for tensor in given) for i in range(len(first))]
    return TensorType((*sizes[:axis], len(given), *sizes[axis:]), promote_operands(*given))


def _raise_rank(tensor: TensorType, rank: int) -> TensorType:
    """Axes of size 1 as `atleast_1d` and its like add them."""
    shape = tensor.sizes
    if rank == 3 and len(shape) == 2:
        return TensorType((*shape, 1), tensor.dtype)
    if rank == 3 and len(shape) == 1:
        return TensorType((1, *shape, 1), tensor.dtype)
    return TensorType((1,) * (rank - len(shape)) + shape, tensor.dtype)


@shape_of("torch.hstack")
def join_columns(tensors: Any) -> TensorType:
    """Tensors behind each other along their second axis, or their only one."""
    given = [_raise_rank(tensor, 1) for tensor in as_tensors(tensors)]
    return join_along_axis(given, 0 if given and given[0].rank == 1 else 1)


@shape_of("torch.column_stack")
def join_as_columns(tensors: Any) -> TensorType:
    """The same, each vector as a column."""
    given = [
        TensorType((*_raise_rank(each, 1).sizes, 1), each.dtype) if each.rank <= 1 else each
        for each in as_tensors(tensors)
    ]
    return join_along_axis(given, 1)


@shape_of("torch.vstack", "torch.row_stack")
def join_rows(tensors: Any) -> TensorType:
    """Tensors behind each other along their first axis."""
    return join_along_axis([_raise_rank(tensor, 2) for tensor in as_tensors(tensors)], 0)


@shape_of("torch.dstack")
def join_depths(tensors: Any) -> TensorType:
    """Tensors behind each other along their third axis."""
    return join_along_axis([_raise_rank(tensor, 3) for tensor in as_tensors(tensors)], 2)


@shape_of("torch.meshgrid")
def mesh_vectors(tensors: Any, indexing: Any = None) -> tuple[TensorType, ...]:
    """A grid of as many axes as there are vectors."""
    given = as_tensors(tensors)
    if any(tensor.rank > 1 for tensor in given):
        wrong = next(tensor for tensor in given if tensor.rank > 1)
        raise ShapeError(
            "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
            f"{show_sizes(wrong.sizes)}"
        )
    sizes = [tensor.sizes[0] if tensor.sizes else 1 for tensor in given]
    if indexing is OPEN:
        raise UndecidedError
    if indexing == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1::-1]
    return tuple(TensorType(tuple(sizes), tensor.dtype) for tensor in given)


@shape_of("torch.cartesian_prod")
def pair_vectors(tensors: Any) -> TensorType:
    """All combinations of the elements of vectors, as rows."""
    given = as_tensors(tensors)
    many: Dim = 1
    for tensor in given:
        require(tensor.rank == 1, "Expect a 1D vector, but got another shape")
        many = many * tensor.sizes[0]
    shape = (many, len(given)) if len(given) > 1 else (many,)
    return TensorType(shape, promote_operands(*given))


@shape_of("torch.block_diag")
def join_diagonally(tensors: Any) -> TensorType:
    """Matrices along a diagonal."""
    given = [_raise_rank(tensor, 2) for tensor in as_tensors(tensors)]
    height: Dim = 0
    width: Dim = 0
    for tensor in given:
        height, width = height + tensor.sizes[0], width + tensor.sizes[1]
    return TensorType((height, width), promote_operands(*given))


@shape_of("torch.broadcast_tensors")
def stretch_tensors(tensors: Any) -> tuple[TensorType, ...]:
    """All tensors stretched to one shape."""
    given = as_tensors(tensors)
    shape = broadcast_operands(*given)
    return tuple(TensorType(shape, tensor.dtype) for tensor in given)
