"""Operators that put axes in another order, add some of size 1, or take these out."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_axes,
    as_axis,
    as_tensor,
    is_fresh,
    show_sizes,
)
from lintorch.evaluator.operators.register import shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    ShapeError,
    TensorType,
    UndecidedError,
)
from lintorch.evaluator.sizes import compare, is_counted

_HOMES = ("torch", "torch.Tensor")


@shape_of(*spell_names("squeeze squeeze_", *_HOMES))
def squeeze_axes(input: Any, dim: Any = None) -> TensorType:
    """Axes of size 1 taken out. Undecided where a size may be 1 or not.

    Places that `nonzero` found in a tensor of unknown rank are taken to be those of a vector.
    """
    tensor = as_tensor(input)
    axes = [*range(tensor.rank)] if dim is None else [*as_axes(dim, tensor.rank)]
    if dim is not None and axes == [1] and _are_places(tensor.sizes):
        return TensorType(tensor.sizes[:1], tensor.dtype)
    if any(compare(tensor.sizes[axis], "==", 1) is None for axis in axes if tensor.rank):
        raise UndecidedError
    kept = [s for axis, s in enumerate(tensor.sizes) if axis not in axes or s != 1]
    return TensorType(tuple(kept), tensor.dtype)


def _are_places(shape: Shape) -> bool:
    return len(shape) == 2 and is_counted(shape[0]) and is_fresh(shape[1])


@shape_of(*spell_names("unsqueeze unsqueeze_", *_HOMES))
def unsqueeze_axis(input: Any, dim: Any) -> TensorType:
    """A further axis of size 1."""
    tensor = as_tensor(input)
    axis = as_axis(dim, tensor.rank + 1)
    return TensorType((*tensor.sizes[:axis], 1, *tensor.sizes[axis:]), tensor.dtype)


@shape_of(*spell_names("permute", *_HOMES))
def permute_axes(input: Any, dims: Any) -> TensorType:
    """Axes in another order."""
    tensor = as_tensor(input)
    given = dims if isinstance(dims, (list, tuple)) else (dims,)
    if len(given) == 1 and given[0] is OPEN:
        raise UndecidedError
    given = given[0] if len(given) == 1 and isinstance(given[0], (list, tuple)) else given
    if len(given) != tensor.rank:
        raise ShapeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
            f"of the desired ordering of dimensions i.e. input.dim() = {tensor.rank} is not equal to "
            f"len(dims) = {len(given)}"
        )
    try:
        axes = as_axes(given, tensor.rank)
    except ShapeError as error:
        repeated = "appears multiple" in str(error)
        raise ShapeError(
            "permute(): duplicate dims are not allowed." if repeated else str(error)
        ) from None
    return TensorType(tuple(tensor.sizes[axis] for axis in axes), tensor.dtype)


@shape_of(*spell_names("transpose transpose_ swapaxes swapdims swapaxes_ swapdims_", *_HOMES))
def transpose_axes(
    input: Any, dim0: Any = None, dim1: Any = None, axis0: Any = None, axis1: Any = None
) -> TensorType:
    """Two axes in each other's place."""
    tensor = as_tensor(input)
    pair = (axis0, axis1) if dim0 is None else (dim0, dim1)
    first, second = (as_axis(axis, tensor.rank) for axis in pair)
    order = list(tensor.sizes)
    if order:
        order[first], order[second] = order[second], order[first]
    return TensorType(tuple(order), tensor.dtype)


@shape_of(*spell_names("t t_", *_HOMES))
def transpose_matrix(input: Any) -> TensorType:
    """A matrix with rows as columns."""
    tensor = as_tensor(input)
    if tensor.rank > 2:
        raise ShapeError(f"t() expects a tensor with <= 2 dimensions, but self is {tensor.rank}D")
    return TensorType(tensor.sizes[::-1], tensor.dtype)


@shape_of(*spell_names("adjoint", *_HOMES))
def transpose_last(input: Any) -> TensorType:
    """The last two axes in each other's place."""
    return transpose_axes(input, -2, -1)


@shape_of(*spell_names("movedim moveaxis", *_HOMES))
def move_axes(input: Any, source: Any, destination: Any) -> TensorType:
    """Axes at other places, the rest in its order."""
    tensor = as_tensor(input)
    came, went = as_axes(source, tensor.rank), as_axes(destination, tensor.rank)
    if len(came) != len(went):
        raise ShapeError(
            "movedim: Invalid source or destination dims: source "
            f"({show_sizes(came)} dims) should contain the same number of dims as destination "
            f"({show_sizes(went)} dims)"
        )
    rest = [axis for axis in range(tensor.rank) if axis not in came]
    placed = dict(zip(went, came, strict=True))
    order = [placed[place] if place in placed else rest.pop(0) for place in range(tensor.rank)]
    return TensorType(tuple(tensor.sizes[axis] for axis in order), tensor.dtype)
