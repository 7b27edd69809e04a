"""Operators that give the same elements another shape."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_axis,
    as_size,
    as_sizes,
    as_tensor,
    differ_surely,
    multiply_sizes,
    replace_axis,
    show_sizes,
)
from lintorch.evaluator.operators.promote_dtypes import read_dtype
from lintorch.evaluator.operators.register import layer_shape, shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    ShapeError,
    TensorType,
    UndecidedError,
    require,
)
from lintorch.evaluator.sizes import Dim, cancel_factors, compare, floor_divide, take_remainder

_HOMES = ("torch", "torch.Tensor")


@shape_of("torch.Tensor.view")
def view_as_shape(input: Any, size: Any = None, dtype: Any = None) -> TensorType:
    """The same elements in another shape, or the same bytes in another type."""
    tensor = as_tensor(input)
    if dtype is not None:
        name = read_dtype(dtype, None)
        if name is None or name[-2:] != (tensor.dtype or "")[-2:]:
            raise UndecidedError
        return TensorType(tensor.shape, name)
    return TensorType(solve_shape(tensor, size), tensor.dtype)


@shape_of("torch.reshape", "torch.Tensor.reshape")
def reshape_elements(input: Any, shape: Any) -> TensorType:
    """The same elements in another shape."""
    return TensorType(solve_shape(as_tensor(input), shape), as_tensor(input).dtype)


@shape_of(*spell_names("view_as reshape_as", "torch.Tensor"))
def reshape_like(input: Any, other: Any) -> TensorType:
    """The same elements in the shape of another tensor."""
    return TensorType(solve_shape(as_tensor(input), as_tensor(other).sizes), as_tensor(input).dtype)


def solve_shape(tensor: TensorType, shape: Any) -> Shape:
    """The shape asked for, with the size that is -1 worked out. Raises ShapeError."""
    asked = list(list_asked(shape))
    unknown = [index for index, size in enumerate(asked) if size is OPEN or size == -1]
    given = sum(1 for index in unknown if asked[index] is not OPEN)
    if given > 1:
        raise ShapeError("only one dimension can be inferred")
    if tensor.shape is None or len(unknown) > 1:
        return tuple(as_size(OPEN if index in unknown else s) for index, s in enumerate(asked))
    total = multiply_sizes(tensor.shape)
    rest = multiply_sizes(size for index, size in enumerate(asked) if index not in unknown)
    more, less = cancel_factors(total, rest)
    if not unknown:
        _require_elements(not differ_surely(more, less), asked, total)
        return tuple(asked)
    place = unknown[0]
    if rest == 0:
        raise UndecidedError
    rests = take_remainder(more, less) if asked[place] is not OPEN else 0
    _require_elements(compare(rests, "==", 0), asked, total)
    return (*asked[:place], floor_divide(total, rest), *asked[place + 1 :])


def list_asked(shape: Any) -> tuple[Any, ...]:
    """Sizes one by one, open ones as they are."""
    if isinstance(shape, (list, tuple)):
        if len(shape) == 1 and (shape[0] is OPEN or isinstance(shape[0], (list, tuple))):
            return list_asked(shape[0])
        return tuple(each if each is OPEN else as_size(each) for each in shape)
    return as_sizes(shape)


def _require_elements(holds: bool | None, asked: list[Any], total: Dim) -> None:
    if holds is False:
        raise ShapeError(f"shape '{show_sizes(asked)}' is invalid for input of size {total}")


@shape_of(*spell_names("flatten", *_HOMES))
def flatten_axes(input: Any, start_dim: Any = 0, end_dim: Any = -1) -> TensorType:
    """Axes from one to another made one."""
    tensor = as_tensor(input)
    shape = tensor.sizes or (1,)
    first, last = as_axis(start_dim, len(shape)), as_axis(end_dim, len(shape))
    if first > last:
        raise ShapeError("flatten() has invalid args: start_dim cannot come after end_dim")
    inner = multiply_sizes(shape[first : last + 1])
    return TensorType((*shape[:first], inner, *shape[last + 1 :]), tensor.dtype)


@layer_shape("torch.nn.Flatten")
def flatten_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    return flatten_axes(input, settings["start_dim"], settings["end_dim"])


@shape_of(*spell_names("ravel", *_HOMES))
def flatten_wholly(input: Any) -> TensorType:
    """All axes made one."""
    return flatten_axes(input)


@shape_of(*spell_names("unflatten", *_HOMES))
def unflatten_axis(input: Any, dim: Any, sizes: Any) -> TensorType:
    """One axis made several."""
    tensor = as_tensor(input)
    require(
        tensor.rank > 0, "Dimension out of range (expected to be in range of [-1, 0], but got 0)"
    )
    axis = as_axis(dim, tensor.rank)
    inner = _solve_inner(tensor.sizes[axis], sizes, axis)
    return TensorType(replace_axis(tensor.sizes, axis, *inner), tensor.dtype)


def _solve_inner(size: Dim, sizes: Any, axis: int) -> Shape:
    try:
        return solve_shape(TensorType((size,)), sizes)
    except ShapeError:
        raise ShapeError(
            f"unflatten: Provided sizes {show_sizes(as_sizes(sizes))} don't multiply up to the size of "
            f"dim {axis} ({size}) in the input tensor"
        ) from None


@layer_shape("torch.nn.Unflatten")
def unflatten_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    return unflatten_axis(input, settings["dim"], settings["unflattened_size"])
