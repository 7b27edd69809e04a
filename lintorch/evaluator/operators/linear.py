"""Linear layers."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_size,
    as_tensor,
    cross_sizes,
    differ_surely,
    multiply_sizes,
)
from lintorch.evaluator.operators.products import multiply_any
from lintorch.evaluator.operators.register import layer_shape, shape_of
from lintorch.evaluator.operators.tensor_types import Shape, ShapeError, TensorType, require
from lintorch.evaluator.sizes import Dim


@shape_of("torch.nn.functional.linear")
def apply_linear(input: Any, weight: Any, bias: Any = None) -> TensorType:
    """The last axis by a matrix of (out, in)."""
    tensor, matrix = as_tensor(input), as_tensor(weight)
    if matrix.rank != 2:
        return multiply_any(tensor, matrix)
    return _apply_matrix(tensor, *matrix.sizes)


def _apply_matrix(tensor: TensorType, out: Dim, inner: Dim) -> TensorType:
    require(
        tensor.rank > 0, "both arguments to linear need to be at least 1D, but they are 0D and 2D"
    )
    if differ_surely(tensor.sizes[-1], inner):
        rows = multiply_sizes(tensor.sizes[:-1])
        raise ShapeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({cross_sizes((rows, tensor.sizes[-1]))} and {cross_sizes((inner, out))})"
        )
    return TensorType((*tensor.sizes[:-1], out), tensor.dtype)


@layer_shape("torch.nn.Linear")
def apply_linear_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    sizes = as_size(settings["out_features"]), as_size(settings["in_features"])
    return _apply_matrix(as_tensor(input), *sizes)


@shape_of("torch.nn.functional.bilinear")
def apply_bilinear(input1: Any, input2: Any, weight: Any) -> TensorType:
    """Two inputs by one stack of matrices of (out, in1, in2)."""
    matrices = as_tensor(weight)
    require(matrices.rank == 3, f"bilinear(): weight must be 3D, got {matrices.rank}D")
    return _apply_matrices(as_tensor(input1), as_tensor(input2), matrices.sizes)


def _apply_matrices(left: TensorType, right: TensorType, sizes: Shape) -> TensorType:
    if left.rank != right.rank:
        raise ShapeError(
            f"bilinear(): input dimensions do not match: got {left.rank} and {right.rank}"
        )
    for axis, pair in enumerate(zip(left.sizes[:-1], right.sizes[:-1], strict=True)):
        if differ_surely(*pair):
            raise ShapeError(
                f"bilinear(): input batch dimensions do not match at dim {axis}: got {pair[0]} and "
                f"{pair[1]}"
            )
    for number, (tensor, wanted) in enumerate(((left, sizes[1]), (right, sizes[2])), 1):
        if differ_surely(tensor.sizes[-1], wanted):
            raise ShapeError(
                f"bilinear(): input{number} size does not match weight size: got {tensor.sizes[-1]} "
                f"but expected {wanted}"
            )
    return TensorType((*left.sizes[:-1], sizes[0]), left.dtype)


@layer_shape("torch.nn.Bilinear")
def apply_bilinear_layer(settings: Any, input1: Any, input2: Any) -> TensorType:
    """The same as a layer."""
    names = ("out_features", "in1_features", "in2_features")
    sizes = tuple(as_size(settings[name]) for name in names)
    return _apply_matrices(as_tensor(input1), as_tensor(input2), sizes)
