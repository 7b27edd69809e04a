"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_tensor,
    as_tensors,
    cross_sizes,
    differ_surely,
    multiply_sizes,
    show_sizes,
)
from lintorch.evaluator.operators.broadcast import broadcast_shapes, require_expandable
from lintorch.evaluator.operators.register import shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import ShapeError, TensorType, require

_HOMES = ("torch", "torch.Tensor")


@shape_of(*spell_names("matmul", "torch", "torch.Tensor", "torch.linalg"))
def multiply_any(input: Any, other: Any) -> TensorType:
    """Products of matrices, stacks of them, and vectors."""
    left, right = as_tensor(input), as_tensor(other)
    if not left.rank or not right.rank:
        raise ShapeError(
            f"both arguments to matmul need to be at least 1D, but they are {left.rank}D and "
            f"{right.rank}D"
        )
    if left.rank <= 2 and right.rank <= 2:
        return _multiply_small(left, right)
    rows = left.sizes[-2:-1]
    inner, columns = right.sizes[-2] if right.rank > 1 else right.sizes[0], right.sizes[-1:]
    columns = columns if right.rank > 1 else ()
    if differ_surely(left.sizes[-1], inner):
        _raise_unequal(left, right)
    stacks = broadcast_shapes(left.sizes[:-2], right.sizes[:-2])
    return TensorType((*stacks, *rows, *columns), left.dtype or right.dtype)


def _raise_unequal(left: TensorType, right: TensorType) -> None:
    """In the words of that product which torch makes of stacks of matrices."""
    if right.rank > 2 and left.rank > 2:
        stack = multiply_sizes(broadcast_shapes(left.sizes[:-2], right.sizes[:-2]))
        raise ShapeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"{show_sizes((stack, left.sizes[-1]))} but got: {show_sizes((stack, right.sizes[-2]))}."
        )
    rows = multiply_sizes(left.sizes[:-1]) if left.rank > 1 else 1
    columns = right.sizes[-2:] if right.rank > 1 else (*right.sizes, 1)
    raise ShapeError(
        "mat1 and mat2 shapes cannot be multiplied "
        f"({cross_sizes((rows, left.sizes[-1]))} and {cross_sizes(columns)})"
    )


def _multiply_small(left: TensorType, right: TensorType) -> TensorType:
    if left.rank == right.rank == 1:
        return multiply_vectors(left, right)
    if right.rank == 1:
        return multiply_by_vector(left, right)
    if left.rank == 1:
        found = multiply_matrices(TensorType((1, *left.sizes), left.dtype), right)
        return TensorType(found.sizes[1:], found.dtype)
    return multiply_matrices(left, right)


@shape_of(*spell_names("mm", *_HOMES))
def multiply_matrices(input: Any, mat2: Any) -> TensorType:
    """One matrix by another."""
    left, right = as_tensor(input), as_tensor(mat2)
    require(left.rank == 2, "self must be a matrix")
    require(right.rank == 2, "mat2 must be a matrix")
    _require_inner(left, right)
    return TensorType((left.sizes[0], right.sizes[1]), left.dtype or right.dtype)


def _require_inner(left: TensorType, right: TensorType) -> None:
    if differ_surely(left.sizes[1], right.sizes[0]):
        raise ShapeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({cross_sizes(left.sizes)} and {cross_sizes(right.sizes)})"
        )


@shape_of(*spell_names("mv", *_HOMES))
def multiply_by_vector(input: Any, vec: Any) -> TensorType:
    """A matrix by a vector."""
    left, right = as_tensor(input), as_tensor(vec)
    if left.rank != 2 or right.rank != 1:
        raise ShapeError(f"vector + matrix @ vector expected, got 1, {left.rank}, {right.rank}")
    if differ_surely(left.sizes[1], right.sizes[0]):
        raise ShapeError(
            f"size mismatch, got input ({left.sizes[0]}), mat ({cross_sizes(left.sizes)}), "
            f"vec ({right.sizes[0]})"
        )
    return TensorType(left.sizes[:1], left.dtype or right.dtype)


@shape_of(*spell_names("dot vdot", "torch", "torch.Tensor"))
def multiply_vectors(input: Any, other: Any = None, tensor: Any = None) -> TensorType:
    """One vector by another."""
    left, right = as_tensor(input), as_tensor(other if tensor is None else tensor)
    if left.rank != 1 or right.rank != 1:
        raise ShapeError(f"1D tensors expected, but got {left.rank}D and {right.rank}D tensors")
    if differ_surely(left.sizes[0], right.sizes[0]):
        raise ShapeError(
            f"inconsistent tensor size, expected tensor {show_sizes(left.sizes)} and src "
            f"{show_sizes(right.sizes)} to have the same number of elements, but got {left.sizes[0]} "
            f"and {right.sizes[0]} elements respectively"
        )
    return TensorType((), left.dtype or right.dtype)


@shape_of(*spell_names("outer ger", *_HOMES))
def multiply_outer(input: Any, vec2: Any) -> TensorType:
    """A vector as rows by one as columns."""
    left, right = as_tensor(input), as_tensor(vec2)
    require(left.rank == 1, f"outer: Expected 1-D argument self, but got {left.rank}-D")
    require(right.rank == 1, f"outer: Expected 1-D argument vec2, but got {right.rank}-D")
    return TensorType((*left.sizes, *right.sizes), left.dtype or right.dtype)


@shape_of(*spell_names("bmm", *_HOMES))
def multiply_stacks(input: Any, mat2: Any) -> TensorType:
    """A stack of matrices by another."""
    left, right = as_tensor(input), as_tensor(mat2)
    require(left.rank == 3, "batch1 must be a 3D tensor")
    require(right.rank == 3, "batch2 must be a 3D tensor")
    stack, rows, inner = left.sizes
    if differ_surely(stack, right.sizes[0]) or differ_surely(inner, right.sizes[1]):
        raise ShapeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"{show_sizes((stack, inner))} but got: {show_sizes(right.sizes[:2])}."
        )
    return TensorType((stack, rows, right.sizes[2]), left.dtype or right.dtype)


@shape_of(*spell_names("addmm baddbmm addmv addr", *_HOMES))
def add_product(
    input: Any,
    mat1: Any = None,
    mat2: Any = None,
    batch1: Any = None,
    batch2: Any = None,
    mat: Any = None,
    vec: Any = None,
    vec1: Any = None,
    vec2: Any = None,
) -> TensorType:
    """A product with something added."""
    if batch1 is not None:
        found = multiply_stacks(batch1, batch2)
    elif mat is not None:
        found = multiply_by_vector(mat, vec)
    else:
        found = multiply_matrices(mat1, mat2) if mat1 is not None else multiply_outer(vec1, vec2)
    require_expandable(as_tensor(input).sizes, found.sizes)
    return found


@shape_of(*spell_names("addbmm", *_HOMES))
def add_products(input: Any, batch1: Any, batch2: Any) -> TensorType:
    """The sum of a stack of products with something added."""
    stack = multiply_stacks(batch1, batch2)
    found = TensorType(stack.sizes[1:], stack.dtype)
    require_expandable(as_tensor(input).sizes, found.sizes)
    return found


@shape_of("torch.kron", "torch.Tensor.kron")
def multiply_kronecker(input: Any, other: Any) -> TensorType:
    """Every element of one by all of the other."""
    left, right = as_tensor(input), as_tensor(other)
    rank = max(left.rank, right.rank)
    pairs = ((1,) * (rank - each.rank) + each.sizes for each in (left, right))
    return TensorType(tuple(a * b for a, b in zip(*pairs, strict=True)), left.dtype)


@shape_of("torch.linalg.multi_dot", "torch.chain_matmul")
def multiply_chain(tensors: Any = None, matrices: Any = None) -> TensorType:
    """Several matrices one after the other."""
    first, *others = as_tensors(matrices if tensors is None else tensors)
    for other in others:
        first = multiply_any(first, other)
    return first
