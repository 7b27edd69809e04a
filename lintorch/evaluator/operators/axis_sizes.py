"""Operators that stretch axes, repeat them, or take a part of one."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_axis,
    as_number,
    as_size,
    as_sizes,
    as_tensor,
    differ_surely,
    is_below,
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
from lintorch.evaluator.operators.views import list_asked
from lintorch.evaluator.sizes import Dim, compare, floor_divide, largest, smallest

_HOMES = ("torch", "torch.Tensor")


@shape_of(*spell_names("expand", "torch.Tensor"))
def expand_axes(input: Any, size: Any) -> TensorType:
    """Axes of size 1 stretched, further ones in front."""
    tensor = as_tensor(input)
    asked = list_asked(size)
    if tensor.shape is None:
        kept = (as_size(OPEN if each is OPEN or each == -1 else each) for each in asked)
        return TensorType(tuple(kept), tensor.dtype)
    ahead = len(asked) - tensor.rank
    if ahead < 0:
        raise ShapeError(
            f"expand({_name_dtype(tensor)}{{{show_sizes(tensor.sizes)}}}, size={show_sizes(asked)}): the "
            f"number of sizes provided ({len(asked)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({tensor.rank})"
        )
    found = [_expand_size(tensor, asked, axis, ahead) for axis in range(len(asked))]
    return TensorType(tuple(found), tensor.dtype)


def _name_dtype(tensor: TensorType) -> str:
    kinds = {
        "float32": "Float",
        "float64": "Double",
        "float16": "Half",
        "int64": "Long",
        "bool": "Bool",
    }
    return f"torch.{kinds.get(tensor.dtype or '', '')}Tensor"


def _expand_size(tensor: TensorType, asked: tuple[Any, ...], axis: int, ahead: int) -> Dim:
    wanted = asked[axis]
    if axis < ahead:
        if wanted is not OPEN and wanted == -1:
            raise ShapeError(
                f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, "
                f"non-existing dimension {axis}"
            )
        return as_size(wanted)
    size = tensor.sizes[axis - ahead]
    if wanted is OPEN:
        return size if compare(size, ">", 1) else as_size(OPEN)
    if wanted == -1:
        return size
    if size != 1 and differ_surely(size, wanted, stretched=True):
        raise ShapeError(
            f"The expanded size of the tensor ({wanted}) must match the existing size ({size}) at "
            f"non-singleton dimension {axis}.  Target sizes: {show_sizes(asked)}.  Tensor sizes: "
            f"{show_sizes(tensor.sizes)}"
        )
    return as_size(wanted)


@shape_of("torch.Tensor.expand_as")
def expand_like(input: Any, other: Any) -> TensorType:
    """Axes stretched to those of another tensor."""
    return expand_axes(input, as_tensor(other).sizes)


@shape_of("torch.broadcast_to", "torch.Tensor.broadcast_to")
def expand_to(input: Any, size: Any) -> TensorType:
    """Axes stretched to a shape."""
    return expand_axes(input, size)


@shape_of("torch.Tensor.repeat", "torch.tile", "torch.Tensor.tile")
def repeat_axes(input: Any, repeats: Any = None, dims: Any = None) -> TensorType:
    """Copies side by side along each axis."""
    tensor = as_tensor(input)
    times = as_sizes(dims if repeats is None else repeats)
    if len(times) < tensor.rank and repeats is not None:
        raise ShapeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    rank = max(len(times), tensor.rank)
    sizes = (1,) * (rank - tensor.rank) + tensor.sizes
    times = (1,) * (rank - len(times)) + times
    return TensorType(tuple(s * t for s, t in zip(sizes, times, strict=True)), tensor.dtype)


@shape_of(*spell_names("narrow", *_HOMES))
def narrow_axis(input: Any, dim: Any, start: Any, length: Any) -> TensorType:
    """A part of one axis."""
    tensor = as_tensor(input)
    require(tensor.rank > 0, "narrow() cannot be applied to a 0-dim tensor.")
    axis = as_axis(dim, tensor.rank)
    many, size = as_size(length), tensor.sizes[axis]
    begin = start if not isinstance(start, TensorType) else OPEN
    begin = begin + size if isinstance(begin, int) and begin < 0 else begin
    if begin is not OPEN and is_below(size, as_size(begin) + many):
        raise ShapeError(f"start ({begin}) + length ({many}) exceeds dimension size ({size}).")
    return TensorType(replace_axis(tensor.sizes, axis, many), tensor.dtype)


@shape_of(*spell_names("select", *_HOMES))
def select_index(input: Any, dim: Any, index: Any) -> TensorType:
    """One place of one axis, which goes."""
    tensor = as_tensor(input)
    if not tensor.rank:
        raise ShapeError("select() cannot be applied to a 0-dim tensor.")
    axis = as_axis(dim, tensor.rank)
    if lies_outside(index, tensor.sizes[axis]):
        raise ShapeError(
            f"select(): index {index} out of range for tensor of size {show_sizes(tensor.sizes)} at "
            f"dimension {axis}"
        )
    return TensorType(replace_axis(tensor.sizes, axis), tensor.dtype)


def lies_outside(index: Any, size: Dim) -> bool:
    """Whether a place is surely none of an axis."""
    return isinstance(index, int) and is_below(size, index + 1 if index >= 0 else -index)


@shape_of(*spell_names("diagonal", *_HOMES))
def take_diagonal(input: Any, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> TensorType:
    """The diagonal of two axes, as a last one."""
    tensor = as_tensor(input)
    first, second = as_axis(dim1, tensor.rank), as_axis(dim2, tensor.rank)
    if first == second:
        raise ShapeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    height, width, shift = tensor.sizes[first], tensor.sizes[second], as_number(offset)
    found = (height, width - shift) if shift >= 0 else (height + shift, width)
    kept = tuple(s for axis, s in enumerate(tensor.sizes) if axis not in (first, second))
    return TensorType((*kept, largest(smallest(*found), 0)), tensor.dtype)


@shape_of("torch.Tensor.unfold")
def unfold_axis(input: Any, dimension: Any, size: Any, step: Any) -> TensorType:
    """Windows over one axis, as a last one."""
    tensor = as_tensor(input)
    if not tensor.rank:
        raise UndecidedError
    axis = as_axis(dimension, tensor.rank)
    length, width, stride = tensor.sizes[axis], as_size(size), as_size(step)
    if is_below(length, width):
        raise ShapeError(
            f"maximum size for tensor at dimension {axis} is {length} but size is {width}"
        )
    many = floor_divide(length - width, stride) + 1
    return TensorType((*replace_axis(tensor.sizes, axis, many), width), tensor.dtype)
