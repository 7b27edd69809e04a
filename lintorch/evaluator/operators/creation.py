"""Operators that make tensors of sizes, of numbers, or like others."""

from __future__ import annotations

import math
from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_size,
    as_sizes,
    as_tensor,
    make_fresh,
)
from lintorch.evaluator.operators.broadcast import broadcast_operands
from lintorch.evaluator.operators.promote_dtypes import read_dtype
from lintorch.evaluator.operators.register import shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    ShapeError,
    TensorType,
    UndecidedError,
)
from lintorch.evaluator.sizes import Size, compare, floor_divide

_LIKE = "zeros_like ones_like empty_like rand_like randn_like full_like randint_like"
_OLD_TYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Byte": "uint8",
    "Char": "int8",
    "Bool": "bool",
}


def _read_shape(sizes: Any) -> Shape:
    shape = as_sizes(sizes)
    for size in shape:
        if compare(size, "<", 0):
            raise ShapeError(f"Trying to create tensor with negative dimension {size}: [{size}]")
    return shape


@shape_of(*spell_names("zeros ones empty rand randn", "torch"))
def make_filled(size: Any, dtype: Any = None) -> TensorType:
    """A tensor of sizes given."""
    return TensorType(_read_shape(size), read_dtype(dtype, "float32"))


@shape_of("torch.full")
def make_full(size: Any, fill_value: Any, dtype: Any = None) -> TensorType:
    """The same of one value, whose type it takes."""
    own = {bool: "bool", int: "int64", Size: "int64", float: "float32", complex: "complex64"}
    return TensorType(_read_shape(size), read_dtype(dtype, own.get(type(fill_value))))


@shape_of("torch.randint")
def make_random_integers(size: Any, dtype: Any = None) -> TensorType:
    """The same of whole numbers by chance."""
    return TensorType(_read_shape(size), read_dtype(dtype, "int64"))


@shape_of("torch.normal")
def make_normal(mean: Any, std: Any = 1.0, size: Any = None) -> TensorType:
    """Numbers by chance round means."""
    if size is not None:
        return TensorType(_read_shape(size), "float32")
    tensor = mean if isinstance(mean, TensorType) else std
    return as_tensor(tensor)


@shape_of(*spell_names(_LIKE, "torch"))
def make_like(input: Any, dtype: Any = None) -> TensorType:
    """A tensor of another's sizes and type."""
    tensor = as_tensor(input)
    return TensorType(tensor.shape, read_dtype(dtype, tensor.dtype))


@shape_of("torch.bernoulli", "torch.Tensor.bernoulli", "torch.poisson")
def draw_like(input: Any) -> TensorType:
    """Numbers by chance, one for each."""
    return as_tensor(input)


@shape_of(*spell_names("new_zeros new_ones new_empty new_full", "torch.Tensor"))
def make_of_type(input: Any, size: Any, dtype: Any = None) -> TensorType:
    """A tensor of another's type."""
    return TensorType(_read_shape(size), read_dtype(dtype, as_tensor(input).dtype))


@shape_of("torch.arange")
def count_numbers(start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None) -> TensorType:
    """Numbers from one up to another."""
    numbers = (start, end, step)
    if any(number is OPEN for number in numbers):
        return TensorType((make_fresh(),), read_dtype(dtype, None))
    whole = all(isinstance(number, (int, Size)) for number in numbers)
    if not whole and not all(isinstance(number, (int, float)) for number in numbers):
        raise UndecidedError
    found = read_dtype(dtype, "int64" if whole else "float32")
    if not whole:
        return TensorType((math.ceil((end - start) / step),), found)
    if isinstance(step, int) and step < 0:
        return TensorType((floor_divide(start - end - step - 1, -step),), found)
    if compare(end - start, "<", 0) and compare(step, ">", 0):
        raise ShapeError("upper bound and lower bound inconsistent with step sign")
    return TensorType((floor_divide(end - start + step - 1, step),), found)


@shape_of("torch.range")
def count_numbers_closed(
    start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None
) -> TensorType:
    """Numbers from one up to another and that one too."""
    numbers = (start, end, step)
    if not all(isinstance(number, (int, float)) for number in numbers):
        raise UndecidedError
    return TensorType((math.floor((end - start) / step) + 1,), read_dtype(dtype, "float32"))


@shape_of("torch.linspace", "torch.logspace")
def space_numbers(steps: Any, dtype: Any = None) -> TensorType:
    """So many numbers at even distances."""
    return TensorType((as_size(steps),), read_dtype(dtype, "float32"))


@shape_of("torch.eye")
def make_identity(n: Any, m: Any = None, dtype: Any = None) -> TensorType:
    """Ones on the diagonal."""
    rows = as_size(n)
    columns = rows if m is None else as_size(m)
    return TensorType((rows, columns), read_dtype(dtype, "float32"))


@shape_of("torch.randperm")
def shuffle_numbers(n: Any, dtype: Any = None) -> TensorType:
    """The numbers below one, by chance."""
    return TensorType((as_size(n),), read_dtype(dtype, "int64"))


@shape_of(*spell_names("hann_window hamming_window blackman_window bartlett_window", "torch"))
def make_window(window_length: Any, dtype: Any = None) -> TensorType:
    """Weights of a window."""
    return TensorType((as_size(window_length),), read_dtype(dtype, "float32"))


@shape_of("torch.tril_indices", "torch.triu_indices")
def list_triangle(row: Any, col: Any, offset: Any = 0) -> TensorType:
    """The places of a triangle, in two rows."""
    if all(isinstance(each, int) for each in (row, col, offset)) and offset == 0 and row == col:
        return TensorType((2, row * (row + 1) // 2), "int64")
    return TensorType((2, make_fresh()), "int64")


@shape_of("torch.tensor", "torch.as_tensor", "torch.Tensor.new_tensor", "torch.asarray")
def make_of_data(data: Any = None, obj: Any = None, dtype: Any = None) -> TensorType:
    """A tensor of numbers in lists."""
    given = obj if data is None else data
    if isinstance(given, TensorType):
        return TensorType(given.shape, read_dtype(dtype, given.dtype))
    leaf, shape = given, []
    while isinstance(leaf, (list, tuple)):
        _require_even(leaf)
        shape.append(len(leaf))
        leaf = leaf[0] if leaf else None
    found = _type_of_leaves(given)
    return TensorType(tuple(shape), read_dtype(dtype, found))


def _require_even(items: Any) -> None:
    lengths = {len(item) if isinstance(item, (list, tuple)) else -1 for item in items}
    if not any(item is OPEN for item in items) and len(lengths) > 1:
        raise ShapeError("expected sequences of one length in nested lists")
    if any(item is OPEN or isinstance(item, TensorType) for item in items):
        raise UndecidedError


def _type_of_leaves(given: Any) -> str | None:
    leaves = given if isinstance(given, (list, tuple)) else [given]
    while leaves and isinstance(leaves[0], (list, tuple)):
        leaves = [each for inner in leaves for each in inner]
    kinds = {bool: "bool", int: "int64", Size: "int64", float: "float32", complex: "complex64"}
    found = {kinds.get(type(leaf)) for leaf in leaves}
    if not found:
        return "float32"
    if None in found:
        raise UndecidedError
    order = ["bool", "int64", "float32", "complex64"]
    return max((each for each in found if each), key=order.index)


def _register_old_type(kind: str, dtype: str) -> None:
    def make_old_type(size: Any) -> TensorType:
        if len(size) == 1 and isinstance(size[0], (list, tuple, TensorType)):
            return TensorType(make_of_data(size[0]).shape, dtype)
        return TensorType(_read_shape(size), dtype)

    shape_of(f"torch.{kind}Tensor")(make_old_type)


for _kind, _dtype in _OLD_TYPES.items():
    _register_old_type(_kind, _dtype)
_register_old_type("", "float32")


@shape_of("torch.complex", "torch.polar")
def make_complex(
    real: Any = None, imag: Any = None, abs: Any = None, angle: Any = None
) -> TensorType:
    """Complex numbers of two parts."""
    pair = (real, imag) if real is not None else (abs, angle)
    first = as_tensor(pair[0])
    kinds = {"float16": "complex32", "float32": "complex64", "float64": "complex128"}
    dtype = kinds.get(first.dtype or "float32")
    return TensorType(broadcast_operands(*map(as_tensor, pair)), dtype)
