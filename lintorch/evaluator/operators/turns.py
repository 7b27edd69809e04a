"""Operators on the places of elements: triangles, diagonals, turns and rolls."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import as_axes, as_axis, as_number, as_sizes, as_tensor
from lintorch.evaluator.operators.axis_order import transpose_axes
from lintorch.evaluator.operators.axis_sizes import take_diagonal
from lintorch.evaluator.operators.register import shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    ShapeError,
    TensorType,
    UndecidedError,
    require,
)


@shape_of(*spell_names("triu tril", "torch", "torch.Tensor"))
def keep_triangle(input: Any) -> TensorType:
    """Zeros beyond a diagonal."""
    tensor = as_tensor(input)
    require(
        tensor.shape is None or tensor.rank >= 2,
        "tril: input tensor must have at least 2 dimensions",
    )
    return tensor


@shape_of("torch.diag", "torch.Tensor.diag")
def take_or_make_diagonal(input: Any, diagonal: Any = 0) -> TensorType:
    """A diagonal of a matrix, or a matrix with a diagonal."""
    tensor = as_tensor(input)
    require(tensor.rank in (1, 2), f"diag(): Supports 1D or 2D tensors. Got {tensor.rank}D")
    if tensor.rank == 2:
        return take_diagonal(tensor, diagonal, 0, 1)
    side = tensor.sizes[0] + abs(as_number(diagonal))
    return TensorType((side, side), tensor.dtype)


@shape_of("torch.diag_embed", "torch.Tensor.diag_embed")
def make_diagonals(input: Any, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> TensorType:
    """A matrix for each vector."""
    tensor = as_tensor(input)
    if (dim1, dim2) != (-2, -1):
        raise UndecidedError
    require(
        tensor.rank > 0, "Dimension out of range (expected to be in range of [-1, 0], but got -2)"
    )
    side = tensor.sizes[-1] + abs(as_number(offset))
    return TensorType((*tensor.sizes[:-1], side, side), tensor.dtype)


@shape_of(*spell_names("flip", "torch", "torch.Tensor"))
def flip_axes(input: Any, dims: Any) -> TensorType:
    """Axes the other way round."""
    tensor = as_tensor(input)
    as_axes(dims, tensor.rank)
    return tensor


@shape_of(*spell_names("fliplr flipud", "torch", "torch.Tensor"))
def flip_image(input: Any) -> TensorType:
    """Rows or columns the other way round."""
    return as_tensor(input)


@shape_of(*spell_names("roll", "torch", "torch.Tensor"))
def roll_axes(input: Any, shifts: Any, dims: Any = ()) -> TensorType:
    """Places moved along axes, round the ends."""
    tensor = as_tensor(input)
    if tensor.shape is None or shifts is OPEN or dims is OPEN:
        return tensor
    moved, axes = as_sizes(shifts), as_sizes(dims)
    if len(moved) != len(axes) and (axes or len(moved) != 1):
        raise ShapeError(
            f"shifts and dimensions must align. shifts: {len(moved)}, dims:{len(axes)}"
        )
    for axis in axes:
        as_axis(axis, tensor.rank)
    return tensor


@shape_of(*spell_names("rot90", "torch", "torch.Tensor"))
def turn_axes(input: Any, k: Any = 1, dims: Any = (0, 1)) -> TensorType:
    """Two axes turned by right angles."""
    tensor = as_tensor(input)
    if k is OPEN or dims is OPEN:
        raise UndecidedError
    return transpose_axes(tensor, dims[0], dims[1]) if k % 2 else tensor
