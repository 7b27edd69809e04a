"""Stretches shapes to one another, as operators do that work element by element."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import differ_surely, show_sizes
from lintorch.evaluator.operators.tensor_types import Shape, ShapeError, TensorType, UndecidedError
from lintorch.evaluator.sizes import Dim, Size, compare, largest

_OPERANDS = (TensorType, Size, int, float, complex)


def broadcast_shapes(left: Shape, right: Shape) -> Shape:
    """The shape that two are stretched to. Raises ShapeError."""
    rank = max(len(left), len(right))
    ones = [(1,) * (rank - len(shape)) + shape for shape in (left, right)]
    pairs = list(enumerate(zip(*ones, strict=True)))
    return tuple(reversed([_join_sizes(a, b, axis) for axis, (a, b) in reversed(pairs)]))


def _join_sizes(left: Dim, right: Dim, axis: int) -> Dim:
    """What stretches to both: of `H` and 3 it is 3, as H must be 1 or 3."""
    if left == 1 or left == right:
        return right
    if right == 1:
        return left
    if differ_surely(
        left, right, stretched=True
    ):  # that one of two such sizes is 1 would be chance
        raise ShapeError(
            f"The size of tensor a ({left}) must match the size of tensor b ({right}) "
            f"at non-singleton dimension {axis}"
        )
    for size in (left, right):
        if compare(size, ">", 1) or size == 0:
            return size
    return largest(left, right)


def broadcast_operands(*operands: Any) -> Shape | None:
    """The shape of tensors and numbers together; None where a rank is unknown."""
    shape: Shape = ()
    for operand in operands:
        if not isinstance(operand, TensorType):
            continue
        if operand.shape is None:
            return None
        shape = broadcast_shapes(shape, operand.shape)
    return shape


def require_expandable(shape: Shape, target: Shape) -> None:
    """Raises ShapeError where what is computed does not fit the tensor that it is put into."""
    if broadcast_shapes(shape, target) == target:
        return
    if len(shape) > len(target) or _grows_surely(shape, target):
        raise ShapeError(
            f"output with shape {show_sizes(target)} doesn't match "
            f"the broadcast shape {show_sizes(broadcast_shapes(shape, target))}"
        )


def _grows_surely(shape: Shape, target: Shape) -> bool:
    behind = target[len(target) - len(shape) :]
    return any(old == 1 and differ_surely(new, 1) for new, old in zip(shape, behind, strict=True))


def require_tensor_among(*operands: Any) -> None:
    """Raises UndecidedError where no operand is a tensor, or one is of an unknown kind."""
    if not any(isinstance(operand, TensorType) for operand in operands):
        raise UndecidedError
    if not all(isinstance(operand, _OPERANDS) for operand in operands):
        raise UndecidedError
