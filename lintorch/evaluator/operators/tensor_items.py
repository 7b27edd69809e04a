"""`x[...]`: numbers, slices, None, `...`, and tensors of indices or of truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_tensor,
    differ_surely,
    make_counted,
    make_fresh,
)
from lintorch.evaluator.operators.axis_sizes import lies_outside
from lintorch.evaluator.operators.broadcast import broadcast_shapes
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    ShapeError,
    TensorType,
    UndecidedError,
)
from lintorch.evaluator.sizes import Dim, Size, compare, floor_divide, largest, smallest


def index_tensor(tensor: TensorType, index: Any) -> TensorType:
    """What `tensor[index]` gives. Raises ShapeError, IndexError's words in it, and UndecidedError."""
    given = as_tensor(tensor)
    items = list(index) if isinstance(index, tuple) else [index]
    items = _fill_ellipsis(items, given)
    shape: list[Dim] = []
    picked: list[Shape] = []
    places: list[int] = []
    axis = 0
    for item in items:
        if item is None:
            shape.append(1)
        elif isinstance(item, slice):
            shape.append(slice_size(given.sizes[axis], item))
            axis += 1
        elif isinstance(item, (int, Size)) and not isinstance(item, bool):
            _require_index(item, given, axis)
            axis += 1
        else:
            places.append(len(shape))
            picked.append(_read_picks(item, given, axis))
            axis += _count_axes(item)
    return TensorType(_insert_picked(shape, picked, places), given.dtype)


def _require_index(index: Any, tensor: TensorType, axis: int) -> None:
    size = tensor.sizes[axis]
    if lies_outside(index, size):
        raise ShapeError(f"index {index} is out of bounds for dimension {axis} with size {size}")


def _count_axes(item: Any) -> int:
    return item.rank if isinstance(item, TensorType) and item.dtype in ("bool", "uint8") else 1


def _fill_ellipsis(items: list[Any], tensor: TensorType) -> list[Any]:
    used = sum(_count_axes(item) for item in items if item is not None and item is not ...)
    if any(item is OPEN for item in items):
        raise UndecidedError
    if used > tensor.rank:
        raise ShapeError(f"too many indices for tensor of dimension {tensor.rank}")
    rest = [slice(None)] * (tensor.rank - used)
    dots = [number for number, item in enumerate(items) if item is ...]
    if not dots:
        return [*items, *rest]
    return [*items[: dots[0]], *rest, *items[dots[0] + 1 :]]


def _read_picks(item: Any, tensor: TensorType, axis: int) -> Shape:
    """The shape that a tensor or a list picks."""
    if isinstance(item, (list, tuple)):
        return _read_list(item)
    picks = as_tensor(item)
    if picks.dtype is None:
        raise UndecidedError
    if picks.dtype not in ("bool", "uint8"):
        return picks.sizes
    for number, size in enumerate(picks.sizes):
        if differ_surely(size, tensor.sizes[axis + number]):
            shown = ", ".join(map(str, picks.sizes)), ", ".join(map(str, tensor.sizes))
            raise ShapeError(
                f"The shape of the mask [{shown[0]}] at index {number} does not match the shape of "
                f"the indexed tensor [{shown[1]}] at index {axis + number}"
            )
    return (make_counted(),)


def _read_list(items: Sequence[Any]) -> Shape:
    if any(isinstance(item, (bool, list, tuple, slice)) or item is None for item in items):
        raise UndecidedError
    return (len(items),)


def _insert_picked(shape: list[Dim], picked: list[Shape], places: list[int]) -> Shape:
    """Axes that are picked stand at their place if they are neighbours, else in front."""
    whole: Shape = ()
    for each in picked:
        whole = broadcast_shapes(whole, each)
    first = places[0] if len(set(places)) == 1 else 0
    return (*shape[:first], *whole, *shape[first:])


def slice_size(size: Dim, part: slice) -> Dim:
    """How many places a slice of an axis has; a fresh size where that is not known."""
    if any(isinstance(each, TensorType) for each in (part.start, part.stop, part.step)):
        return make_fresh(size)
    if part.step is OPEN or part.start is OPEN or part.stop is OPEN:
        return make_fresh(size)
    step = 1 if part.step is None else part.step
    if isinstance(step, int) and step < 1:
        raise ShapeError("step must be greater than zero")
    start = _clip_place(0 if part.start is None else part.start, size)
    stop = size if part.stop is None else _clip_place(part.stop, size)
    if start is None or stop is None:
        return make_fresh(size)
    many = floor_divide(stop - start + (step - 1), step)
    return many if compare(many, ">=", 0) else largest(many, 0)


def _clip_place(place: Any, size: Dim) -> Dim | None:
    """A place of a slice within an axis; None where it is not known whether it counts from the end."""
    if not isinstance(place, (int, Size)):
        return None
    if compare(place, ">=", 0):
        return smallest(place, size)
    if compare(place, "<", 0):
        return largest(size + place, 0)
    return None
