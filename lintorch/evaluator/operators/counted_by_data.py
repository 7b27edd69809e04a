"""Operators of which data decide how much comes out."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_axis,
    as_tensor,
    make_counted,
    make_fresh,
    replace_axis,
)
from lintorch.evaluator.operators.broadcast import broadcast_operands
from lintorch.evaluator.operators.register import shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    TensorType,
    UndecidedError,
    require,
)

_HOMES = ("torch", "torch.Tensor")


@shape_of(*spell_names("nonzero argwhere", *_HOMES))
def find_nonzero(input: Any, as_tuple: Any = False) -> TensorType | tuple[TensorType, ...]:
    """Where elements are not 0: how many that are, data decide."""
    tensor = as_tensor(input)
    many = make_counted()
    if as_tuple is OPEN:
        raise UndecidedError
    if as_tuple:
        return (TensorType((many,), "int64"),) * max(tensor.rank, 1)
    axes = make_fresh() if tensor.shape is None else tensor.rank
    return TensorType((many, axes), "int64")


@shape_of(*spell_names("masked_select", *_HOMES))
def select_masked(input: Any, mask: Any) -> TensorType:
    """Elements where a mask is true: how many that are, data decide."""
    tensor = as_tensor(input)
    if tensor.shape is not None and as_tensor(mask).shape is not None:
        broadcast_operands(tensor, as_tensor(mask))
    return TensorType((make_counted(),), tensor.dtype)


@shape_of(*spell_names("unique unique_consecutive", *_HOMES))
def list_unique(
    input: Any,
    return_inverse: Any = False,
    return_counts: Any = False,
    dim: Any = None,
    sorted: Any = True,
) -> TensorType | tuple[TensorType, ...]:
    """Each value once: how many that are, data decide."""
    tensor, many = as_tensor(input), make_counted()
    axis = None if dim is None else as_axis(dim, tensor.rank)
    shape = (many,) if axis is None else replace_axis(tensor.sizes, axis, many)
    found = [TensorType(shape, tensor.dtype)]
    if bool(return_inverse):
        whole = tensor.shape if axis is None else (tensor.sizes[axis],)
        found.append(TensorType(whole, "int64"))
    if bool(return_counts):
        found.append(TensorType((many,), "int64"))
    return tuple(found) if len(found) > 1 else found[0]


@shape_of(*spell_names("bincount", *_HOMES))
def count_values(input: Any) -> TensorType:
    """How often each value is there: how many values, data decide."""
    require(as_tensor(input).rank == 1, "bincount only supports 1-d non-negative integral inputs.")
    return TensorType((make_counted(),))
