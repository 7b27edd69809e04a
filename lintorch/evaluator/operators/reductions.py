"""Operators that make one value of all along some axes."""

from __future__ import annotations

from typing import Any, NamedTuple

from lintorch.evaluator.operators.arguments import as_axes, as_axis, as_size, as_tensor
from lintorch.evaluator.operators.pointwise import combine_promoted
from lintorch.evaluator.operators.promote_dtypes import (
    as_floating,
    as_summed,
    read_dtype,
)
from lintorch.evaluator.operators.register import shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    TensorType,
    UndecidedError,
    require,
)

_HOMES = ("torch", "torch.Tensor")


class Extremes(NamedTuple):
    """What comes out of `max(dim)` and its like."""

    values: TensorType
    indices: TensorType


def reduce_shape(tensor: TensorType, dim: Any, keepdim: Any) -> Shape:
    """A shape without some axes, or with size 1 there; `dim` None or () for all."""
    if dim is None and not keepdim:
        return ()
    everything = dim is None or (dim is not OPEN and isinstance(dim, (list, tuple)) and not dim)
    axes = set(range(tensor.rank) if everything else as_axes(dim, tensor.rank))
    kept = bool(keepdim)
    return tuple(1 if i in axes else s for i, s in enumerate(tensor.sizes) if kept or i not in axes)


@shape_of(*spell_names("sum nansum prod", *_HOMES))
def reduce_to_sum(
    input: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None
) -> TensorType:
    """Sums and products: integers become int64."""
    tensor = as_tensor(input)
    found = read_dtype(dtype, as_summed(tensor.dtype))
    return TensorType(reduce_shape(tensor, dim, keepdim), found)


@shape_of(*spell_names("mean nanmean logsumexp", *_HOMES), "torch.special.logsumexp")
def reduce_to_mean(
    input: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None
) -> TensorType:
    """Means of floats."""
    tensor = as_tensor(input)
    return TensorType(
        reduce_shape(tensor, dim, keepdim), read_dtype(dtype, as_floating(tensor.dtype))
    )


@shape_of(*spell_names("std var", *_HOMES))
def reduce_to_spread(
    input: Any, dim: Any = None, unbiased: Any = None, correction: Any = None, keepdim: Any = False
) -> TensorType:
    """Variances and their roots."""
    tensor = as_tensor(input)
    return TensorType(reduce_shape(tensor, dim, keepdim), tensor.dtype)


@shape_of("torch.std_mean", "torch.var_mean")
def reduce_to_both(
    input: Any, dim: Any = None, unbiased: Any = None, correction: Any = None, keepdim: Any = False
) -> tuple[TensorType, TensorType]:
    """Spread and mean."""
    found = reduce_to_spread(input, dim, None, None, keepdim)
    return found, found


@shape_of("torch.norm", "torch.Tensor.norm", "torch.linalg.vector_norm")
def reduce_to_norm(
    input: Any = None,
    p: Any = None,
    dim: Any = None,
    keepdim: Any = False,
    dtype: Any = None,
    x: Any = None,
    ord: Any = None,
) -> TensorType:
    """Lengths of vectors."""
    return reduce_to_mean(x if input is None else input, dim, keepdim, dtype)


@shape_of("torch.linalg.norm")
def reduce_to_any_norm(
    input: Any = None, dim: Any = None, keepdim: Any = False, dtype: Any = None, A: Any = None
) -> TensorType:
    """Lengths of vectors or norms of matrices."""
    return reduce_to_mean(A if input is None else input, dim, keepdim, dtype)


@shape_of(*spell_names("any all", *_HOMES))
def reduce_to_boolean(input: Any, dim: Any = None, keepdim: Any = False) -> TensorType:
    """Whether any is true, or all are."""
    tensor = as_tensor(input)
    found = "uint8" if tensor.dtype == "uint8" else "bool" if tensor.dtype else None
    return TensorType(reduce_shape(tensor, dim, keepdim), found)


@shape_of(*spell_names("count_nonzero", *_HOMES))
def count_elements(input: Any, dim: Any = None) -> TensorType:
    """How many are not 0."""
    return TensorType(reduce_shape(as_tensor(input), dim, False), "int64")


@shape_of(*spell_names("argmax argmin", *_HOMES))
def find_place(input: Any, dim: Any = None, keepdim: Any = False) -> TensorType:
    """Where the largest is."""
    return TensorType(reduce_shape(as_tensor(input), dim, keepdim), "int64")


@shape_of(*spell_names("amax amin", *_HOMES))
def reduce_to_extreme(input: Any, dim: Any = (), keepdim: Any = False) -> TensorType:
    """The largest along several axes."""
    tensor = as_tensor(input)
    return TensorType(reduce_shape(tensor, dim, keepdim), tensor.dtype)


@shape_of("torch.aminmax", "torch.Tensor.aminmax")
def find_both_extremes(
    input: Any, dim: Any = None, keepdim: Any = False
) -> tuple[TensorType, TensorType]:
    """The smallest and the largest."""
    found = reduce_to_extreme(input, dim, keepdim)
    return found, found


@shape_of(*spell_names("max min", *_HOMES))
def find_extreme(
    input: Any, dim: Any = None, keepdim: Any = False, other: Any = None
) -> TensorType | Extremes:
    """The largest of all, along an axis, or of two tensors."""
    tensor = as_tensor(input)
    second = other if other is not None else dim if isinstance(dim, TensorType) else None
    if second is not None:
        return combine_promoted(tensor, second)
    if dim is None:
        return TensorType((), tensor.dtype)
    return find_along_axis(tensor, dim, keepdim)


@shape_of(*spell_names("median nanmedian mode kthvalue", *_HOMES))
def find_ranked(
    input: Any, k: Any = None, dim: Any = None, keepdim: Any = False
) -> TensorType | Extremes:
    """The value at a rank, and where it is."""
    tensor = as_tensor(input)
    return TensorType((), tensor.dtype) if dim is None else find_along_axis(tensor, dim, keepdim)


@shape_of(*spell_names("cummax cummin", *_HOMES))
def find_so_far(input: Any, dim: Any) -> Extremes:
    """The largest so far, and where it is."""
    tensor = as_tensor(input)
    as_axis(dim, tensor.rank)
    return Extremes(tensor, TensorType(tensor.shape, "int64"))


def find_along_axis(tensor: TensorType, dim: Any, keepdim: Any) -> Extremes:
    """Values along an axis, and where they are."""
    shape = reduce_shape(tensor, (as_axis(dim, tensor.rank),), keepdim)
    return Extremes(TensorType(shape, tensor.dtype), TensorType(shape, "int64"))


@shape_of(*spell_names("cumsum cumprod", *_HOMES))
def accumulate(input: Any, dim: Any, dtype: Any = None) -> TensorType:
    """Sums so far."""
    tensor = as_tensor(input)
    as_axis(dim, tensor.rank)
    return TensorType(tensor.shape, read_dtype(dtype, as_summed(tensor.dtype)))


@shape_of(*spell_names("logcumsumexp", *_HOMES))
def accumulate_logs(input: Any, dim: Any) -> TensorType:
    """Logarithms of sums so far."""
    tensor = as_tensor(input)
    as_axis(dim, tensor.rank)
    return tensor


@shape_of(*spell_names("quantile nanquantile", *_HOMES))
def find_quantiles(input: Any, q: Any, dim: Any = None, keepdim: Any = False) -> TensorType:
    """Quantiles, along a first axis where several are asked for."""
    tensor = as_tensor(input)
    shape = reduce_shape(tensor, dim, keepdim)
    if isinstance(q, TensorType):
        return TensorType((*q.sizes, *shape), tensor.dtype)
    if q is OPEN:
        raise UndecidedError
    return TensorType(shape, tensor.dtype)


@shape_of("torch.trace", "torch.Tensor.trace")
def sum_diagonal(input: Any) -> TensorType:
    """The sum of a matrix' diagonal."""
    tensor = as_tensor(input)
    require(tensor.rank == 2, f"trace: expected a matrix, but got tensor with dim {tensor.rank}")
    return TensorType((), as_summed(tensor.dtype))


@shape_of(*spell_names("histc", *_HOMES))
def count_in_bins(input: Any, bins: Any = 100) -> TensorType:
    """How many values each bin holds."""
    return TensorType((as_size(bins),), as_tensor(input).dtype)


@shape_of("torch.dist", "torch.Tensor.dist")
def measure_distance(input: Any, other: Any) -> TensorType:
    """The length of a difference."""
    return TensorType((), combine_promoted(input, other).dtype)
