"""Linear algebra: inverses, decompositions, solutions."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import as_axis, as_tensor, differ_surely
from lintorch.evaluator.operators.broadcast import broadcast_shapes
from lintorch.evaluator.operators.promote_dtypes import promote_operands
from lintorch.evaluator.operators.register import shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import OPEN, ShapeError, TensorType, UndecidedError
from lintorch.evaluator.sizes import smallest

_HOMES = ("torch", "torch.Tensor", "torch.linalg")
_REAL = {"complex64": "float32", "complex128": "float64"}


def _require_square(tensor: TensorType, name: str) -> None:
    if tensor.rank < 2:
        raise ShapeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if differ_surely(tensor.sizes[-1], tensor.sizes[-2]):
        raise ShapeError(
            f"{name}: A must be batches of square matrices, but they are {tensor.sizes[-2]} by "
            f"{tensor.sizes[-1]} matrices"
        )


def _first(A: Any, input: Any) -> TensorType:
    return as_tensor(A if input is None else input)


def _register_square(word: str, said: str, *, kept: bool) -> None:
    def keep_square(A: Any = None, input: Any = None) -> TensorType:
        tensor = _first(A, input)
        _require_square(tensor, said)
        return tensor

    def measure_square(A: Any = None, input: Any = None) -> TensorType:
        tensor = _first(A, input)
        _require_square(tensor, said)
        return TensorType(tensor.sizes[:-2], tensor.dtype)

    homes: tuple[str, ...] = ("torch.linalg",) if said == "linalg.cholesky" else _HOMES
    homes = ("torch", "torch.Tensor") if said == "cholesky" else homes
    shape_of(*spell_names(word, *homes))(keep_square if kept else measure_square)


for _word, _said in (
    ("inverse", "linalg.inv"),
    ("inv", "linalg.inv"),
    ("matrix_exp", "linalg.matrix_exp"),
    ("matrix_power", "linalg.matrix_power"),
    ("cholesky", "cholesky"),
    ("cholesky", "linalg.cholesky"),
):
    _register_square(_word, _said, kept=True)
_register_square("det", "linalg.det", kept=False)
_register_square("logdet", "logdet", kept=False)


@shape_of("torch.slogdet", "torch.Tensor.slogdet", "torch.linalg.slogdet")
def measure_square_twice(A: Any = None, input: Any = None) -> tuple[TensorType, TensorType]:
    """Its sign and its logarithm."""
    tensor = _first(A, input)
    _require_square(tensor, "linalg.slogdet")
    found = TensorType(tensor.sizes[:-2], tensor.dtype)
    return found, TensorType(found.shape, _REAL.get(found.dtype or "", found.dtype))


@shape_of("torch.pinverse", "torch.Tensor.pinverse", "torch.linalg.pinv")
def invert_any(A: Any = None, input: Any = None) -> TensorType:
    """The inverse of a matrix that need not be square."""
    tensor = _first(A, input)
    if tensor.rank < 2:
        raise ShapeError(
            f"linalg.pinv: The input tensor A must have at least 2 dimensions. Got {tensor.rank}"
        )
    *ahead, rows, columns = tensor.sizes
    return TensorType((*ahead, columns, rows), tensor.dtype)


@shape_of("torch.linalg.solve")
def solve_square(A: Any, B: Any) -> TensorType:
    """What a square matrix makes the right side of."""
    matrix, side = as_tensor(A), as_tensor(B)
    _require_square(matrix, "linalg.solve")
    if side.rank < matrix.rank or side.rank == 1:
        raise UndecidedError
    if differ_surely(matrix.sizes[-1], side.sizes[-2]):
        raise ShapeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation AX = B "
            f"({matrix.sizes[-2]}x{matrix.sizes[-1]} and {side.sizes[-2]}x{side.sizes[-1]})"
        )
    ahead = broadcast_shapes(matrix.sizes[:-2], side.sizes[:-2])
    return TensorType((*ahead, *side.sizes[-2:]), matrix.dtype)


@shape_of("torch.linalg.svd", "torch.svd", "torch.Tensor.svd")
def decompose_values(
    A: Any = None, input: Any = None, full_matrices: Any = None, some: Any = True
) -> tuple[TensorType, TensorType, TensorType]:
    """U, S and V; `torch.svd` gives V as columns."""
    tensor = _first(A, input)
    if tensor.rank < 2 or OPEN is full_matrices or OPEN is some:
        raise UndecidedError
    *ahead, rows, columns = tensor.sizes
    least = smallest(rows, columns)
    full = full_matrices if full_matrices is not None else not some
    left, right = (rows, columns) if full else (least, least)
    last = (right, columns) if full_matrices is not None else (columns, right)
    real = _REAL.get(tensor.dtype or "", tensor.dtype)
    return (
        TensorType((*ahead, rows, left), tensor.dtype),
        TensorType((*ahead, least), real),
        TensorType((*ahead, *last), tensor.dtype),
    )


@shape_of("torch.linalg.svdvals")
def list_singular_values(A: Any) -> TensorType:
    """The singular values of a matrix."""
    return decompose_values(A)[1]


@shape_of("torch.linalg.eigh")
def decompose_symmetric(A: Any) -> tuple[TensorType, TensorType]:
    """Eigenvalues and vectors."""
    tensor = as_tensor(A)
    _require_square(tensor, "linalg.eigh")
    return TensorType(tensor.sizes[:-1], _REAL.get(tensor.dtype or "", tensor.dtype)), tensor


@shape_of("torch.linalg.qr", "torch.qr")
def decompose_orthogonal(
    A: Any = None, mode: Any = "reduced", input: Any = None, some: Any = True
) -> tuple[TensorType, TensorType]:
    """An orthogonal matrix and a triangle."""
    tensor = _first(A, input)
    if mode != "reduced" or some is not True or tensor.rank < 2:
        raise UndecidedError
    *ahead, rows, columns = tensor.sizes
    least = smallest(rows, columns)
    return (
        TensorType((*ahead, rows, least), tensor.dtype),
        TensorType((*ahead, least, columns), tensor.dtype),
    )


@shape_of("torch.linalg.cross", "torch.cross", "torch.Tensor.cross")
def multiply_crosswise(input: Any, other: Any, dim: Any = -1) -> TensorType:
    """Vectors of three at right angles to two others."""
    first, second = as_tensor(input), as_tensor(other)
    shape = broadcast_shapes(first.sizes, second.sizes)
    if dim is not None and len(shape):
        axis = as_axis(dim, len(shape))
        for tensor in (first, second):
            if tensor.rank != len(shape) or differ_surely(tensor.sizes[axis], 3):
                raise ShapeError("linalg.cross: inputs dimension -1 must have length 3.")
    return TensorType(shape, promote_operands(first, second))
