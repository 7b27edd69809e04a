"""Operators that take elements by where they are, or put them there."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_axis,
    as_size,
    as_tensor,
    is_below,
    make_counted,
    multiply_sizes,
    replace_axis,
    show_sizes,
)
from lintorch.evaluator.operators.broadcast import broadcast_operands, broadcast_shapes
from lintorch.evaluator.operators.reductions import Extremes
from lintorch.evaluator.operators.register import shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    ShapeError,
    TensorType,
    require,
)
from lintorch.evaluator.sizes import Dim

_HOMES = ("torch", "torch.Tensor")
_SCATTERS = """
scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_
"""
_INDEXED = "index_add index_add_ index_copy index_copy_ index_fill index_fill_ index_put index_put_"


@shape_of(*spell_names("gather", *_HOMES))
def gather_along_axis(input: Any, dim: Any, index: Any) -> TensorType:
    """One element for each index."""
    tensor, places = as_tensor(input), as_tensor(index)
    axis = as_axis(dim, max(tensor.rank, 1))
    _require_indices("gather", tensor, places, axis)
    return TensorType(places.shape, tensor.dtype)


def _require_indices(name: str, tensor: TensorType, places: TensorType, axis: int) -> None:
    if (tensor.rank or 1) != (places.rank or 1):
        raise ShapeError(
            f"Index tensor must have the same number of dimensions as {_name_other(name)} tensor"
        )
    for number, (own, asked) in enumerate(zip(tensor.sizes, places.sizes, strict=False)):
        if number != axis and is_below(own, asked):
            place = (
                f"Size does not match at dimension {number} expected"
                if name == "gather"
                else "Expected"
            )
            raise ShapeError(
                f"{place} index {show_sizes(places.sizes)} to be no larger than self "
                f"{show_sizes(tensor.sizes)} apart from dimension {axis}"
            )


def _name_other(name: str) -> str:
    return "input" if name == "gather" else "self"


@shape_of(*spell_names(_SCATTERS, *_HOMES))
def scatter_along_axis(input: Any, dim: Any, index: Any, src: Any = None) -> TensorType:
    """Elements put at the places of an index."""
    tensor, places = as_tensor(input), as_tensor(index)
    if tensor.shape is None or places.shape is None or places.sizes == (0,):
        return tensor
    axis = as_axis(dim, max(tensor.rank, 1))
    _require_indices("scatter", tensor, places, axis)
    if isinstance(src, TensorType) and src.shape is not None:
        require(
            (src.rank or 1) == (places.rank or 1),
            "Index tensor must have the same number of dimensions as src tensor",
        )
        if any(is_below(a, b) for a, b in zip(src.sizes, places.sizes, strict=False)):
            raise ShapeError(
                f"Expected index {show_sizes(places.sizes)} to be no larger than self "
                f"{show_sizes(tensor.sizes)} apart from dimension {axis} and to be no larger size than "
                f"src {show_sizes(src.sizes)}"
            )
    return tensor


@shape_of(*spell_names(_INDEXED, *_HOMES))
def change_at_index(input: Any) -> TensorType:
    """Elements put at indices of an axis."""
    return as_tensor(input)


@shape_of(*spell_names("masked_scatter", *_HOMES))
@shape_of("torch.Tensor.masked_scatter_")
def change_at_mask(input: Any, mask: Any) -> TensorType:
    """Elements put where a mask is true."""
    tensor = as_tensor(input)
    return TensorType(broadcast_operands(tensor, as_tensor(mask)), tensor.dtype)


@shape_of(*spell_names("index_select", *_HOMES))
def select_indices(input: Any, dim: Any, index: Any) -> TensorType:
    """Some places of one axis."""
    tensor, places = as_tensor(input), as_tensor(index)
    axis = as_axis(dim, tensor.rank)
    require(places.rank <= 1, "index_select(): Index is supposed to be a vector")
    many = places.sizes[0] if places.sizes else 1
    return TensorType(replace_axis(tensor.sizes, axis, many) if tensor.rank else (), tensor.dtype)


@shape_of(*spell_names("take", *_HOMES))
def take_flat(input: Any, index: Any) -> TensorType:
    """Elements by their place among all."""
    return TensorType(as_tensor(index).shape, as_tensor(input).dtype)


@shape_of(*spell_names("take_along_dim", *_HOMES))
def take_along_axis(input: Any, indices: Any, dim: Any = None) -> TensorType:
    """One element for each index, stretched to one another on the other axes."""
    tensor, places = as_tensor(input), as_tensor(indices)
    if dim is None:
        return TensorType((multiply_sizes(places.sizes),), tensor.dtype)
    require(
        tensor.rank == places.rank,
        "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
        f"{tensor.rank} dimensions for input, and {places.rank} dimensions for indices",
    )
    axis = as_axis(dim, tensor.rank)
    ahead = broadcast_shapes(
        replace_axis(tensor.sizes, axis, 1), replace_axis(places.sizes, axis, 1)
    )
    return TensorType(replace_axis(ahead, axis, places.sizes[axis]), tensor.dtype)


@shape_of(*spell_names("topk", *_HOMES))
def take_largest(input: Any, k: Any, dim: Any = -1) -> Extremes:
    """The largest along an axis, and where they are."""
    tensor = as_tensor(input)
    axis, many = as_axis(dim, tensor.rank), as_size(k)
    if tensor.rank and is_below(tensor.sizes[axis], many):
        raise ShapeError("selected index k out of range")
    shape = replace_axis(tensor.sizes, axis, many) if tensor.rank else ()
    return Extremes(TensorType(shape, tensor.dtype), TensorType(shape, "int64"))


@shape_of(*spell_names("sort", *_HOMES))
def sort_axis(input: Any, dim: Any = -1) -> Extremes:
    """All along an axis in order, and where they were."""
    tensor = as_tensor(input)
    as_axis(dim, tensor.rank)
    return Extremes(tensor, TensorType(tensor.shape, "int64"))


@shape_of(*spell_names("msort", *_HOMES))
def sort_rows(input: Any) -> TensorType:
    """All along the first axis in order."""
    return as_tensor(input)


@shape_of(*spell_names("argsort", *_HOMES))
def order_axis(input: Any, dim: Any = -1) -> TensorType:
    """Where each was in order."""
    return sort_axis(input, dim).indices


@shape_of(*spell_names("searchsorted", *_HOMES))
def search_sorted(sorted_sequence: Any, input: Any) -> TensorType:
    """Where values belong."""
    return TensorType(as_tensor(input).shape, "int64")


@shape_of(*spell_names("bucketize", *_HOMES))
def sort_into_buckets(input: Any) -> TensorType:
    """Which bucket each value belongs to."""
    return TensorType(as_tensor(input).shape, "int64")


@shape_of(*spell_names("repeat_interleave", *_HOMES))
def repeat_each(
    input: Any = None, repeats: Any = None, dim: Any = None, output_size: Any = None
) -> TensorType:
    """Each place of an axis several times."""
    tensor = as_tensor(input)
    if dim is None:
        tensor = TensorType((multiply_sizes(tensor.sizes),), tensor.dtype)
    axis = as_axis(0 if dim is None else dim, tensor.rank)
    if isinstance(repeats, TensorType):
        many: Dim = make_counted() if output_size is None else as_size(output_size)
    else:
        many = tensor.sizes[axis] * as_size(repeats)
    return TensorType(replace_axis(tensor.sizes, axis, many), tensor.dtype)


@shape_of("torch.multinomial", "torch.Tensor.multinomial")
def draw_samples(input: Any, num_samples: Any, replacement: Any = False) -> TensorType:
    """Indices drawn by weight."""
    tensor = as_tensor(input)
    require(1 <= tensor.rank <= 2, "prob_dist must be 1 or 2 dim")
    if replacement is False and is_below(tensor.sizes[-1], as_size(num_samples)):
        raise ShapeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    return TensorType((*tensor.sizes[:-1], as_size(num_samples)), "int64")
