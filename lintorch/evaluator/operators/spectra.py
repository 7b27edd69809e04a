"""Fourier transforms."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import as_axes, as_axis, as_size, as_tensor, make_fresh
from lintorch.evaluator.operators.promote_dtypes import as_floating
from lintorch.evaluator.operators.register import shape_of
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    ShapeError,
    TensorType,
    UndecidedError,
)
from lintorch.evaluator.sizes import Dim, compare, floor_divide

_COMPLEX_OF = {"float16": "complex32", "float32": "complex64", "float64": "complex128"}
_REAL_OF = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}


def _to_complex(dtype: str | None) -> str | None:
    found = as_floating(dtype) or "float32"
    return found if found in _REAL_OF else _COMPLEX_OF.get(found)


def _to_real(dtype: str | None) -> str | None:
    found = as_floating(dtype)
    return _REAL_OF.get(found or "", found)


def _half(size: Dim) -> Dim:
    return floor_divide(size, 2) + 1


def _replace_sizes(tensor: TensorType, axes: tuple[int, ...], sizes: list[Dim]) -> list[Dim]:
    found = list(tensor.sizes)
    for axis, size in zip(axes, sizes, strict=True):
        if compare(size, "<", 1):
            raise ShapeError(f"Invalid number of data points ({size}) specified")
        found[axis] = size
    return found


def _read_axes(tensor: TensorType, s: Any, dim: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The axes to transform, and the sizes they are cut or filled to; None where none is asked."""
    if s is OPEN or dim is OPEN:
        raise UndecidedError
    asked = None if s is None else list(s)
    if dim is None:
        many = tensor.rank if asked is None else len(asked)
        if many > tensor.rank:
            raise ShapeError("Got shape with more values than input has dimensions")
        axes = tuple(range(tensor.rank - many, tensor.rank))
    else:
        axes = as_axes(dim, tensor.rank)
    if asked is not None and len(asked) != len(axes):
        raise ShapeError("When given, dim and shape arguments must have the same length")
    return axes, [None] * len(axes) if asked is None else asked


def _choose_sizes(tensor: TensorType, axes: tuple[int, ...], asked: list[Any]) -> list[Dim]:
    own = (tensor.sizes[axis] for axis in axes)
    return [
        size if each is not OPEN and (each is None or each == -1) else as_size(each)
        for size, each in zip(own, asked, strict=True)
    ]


def _register_one(name: str) -> None:
    def transform_axis(input: Any, n: Any = None, dim: Any = -1) -> TensorType:
        tensor = as_tensor(input)
        axes = (as_axis(dim, tensor.rank),)
        return _transform(tensor, axes, [n], name)

    shape_of(f"torch.fft.{name}")(transform_axis)


def _transform(
    tensor: TensorType, axes: tuple[int, ...], asked: list[Any], name: str
) -> TensorType:
    sizes = _choose_sizes(tensor, axes, asked)
    if name.startswith("i") and "rfft" in name and asked[-1] is None:
        sizes[-1] = (tensor.sizes[axes[-1]] - 1) * 2
    elif name.startswith("rfft"):
        found = _replace_sizes(tensor, axes, sizes)
        found[axes[-1]] = _half(sizes[-1])
        return TensorType(tuple(found), _to_complex(tensor.dtype))
    dtype = _to_real(tensor.dtype) if name.startswith("irfft") else _to_complex(tensor.dtype)
    return TensorType(tuple(_replace_sizes(tensor, axes, sizes)), dtype)


def _register_several(name: str, default: Any) -> None:
    def transform_axes(input: Any, s: Any = None, dim: Any = default) -> TensorType:
        tensor = as_tensor(input)
        axes, asked = _read_axes(tensor, s, dim)
        return _transform(tensor, axes, asked, name)

    shape_of(f"torch.fft.{name}")(transform_axes)


for _name in ("fft", "ifft", "rfft", "irfft"):
    _register_one(_name)
    _register_several(f"{_name}2", (-2, -1))
    _register_several(f"{_name}n", None)


@shape_of("torch.fft.fftshift", "torch.fft.ifftshift")
def shift_spectrum(input: Any, dim: Any = None) -> TensorType:
    """Zero frequency in the middle, or back."""
    tensor = as_tensor(input)
    if dim is not None:
        as_axes(dim, tensor.rank)
    return tensor


@shape_of("torch.fft.fftfreq")
def list_frequencies(n: Any) -> TensorType:
    """The frequencies of a spectrum."""
    return TensorType((as_size(n),), "float32")


@shape_of("torch.fft.rfftfreq")
def list_half_frequencies(n: Any) -> TensorType:
    """Those that are not negative."""
    return TensorType((_half(as_size(n)),), "float32")


@shape_of("torch.view_as_real")
def view_as_pairs(input: Any) -> TensorType:
    """Both parts of complex numbers along a last axis."""
    tensor = as_tensor(input)
    return TensorType((*tensor.sizes, 2), _to_real(tensor.dtype))


@shape_of("torch.view_as_complex")
def view_as_one(input: Any) -> TensorType:
    """Pairs along the last axis as complex numbers."""
    tensor = as_tensor(input)
    if not tensor.rank or compare(tensor.sizes[-1], "==", 2) is False:
        raise ShapeError("Tensor must have a last dimension of size 2")
    return TensorType(tensor.sizes[:-1], _to_complex(tensor.dtype))


@shape_of("torch.stft", "torch.Tensor.stft")
def transform_windows(
    input: Any,
    n_fft: Any,
    hop_length: Any = None,
    center: Any = True,
    onesided: Any = None,
    return_complex: Any = None,
) -> TensorType:
    """The spectra of windows that slide over a signal, as (…, frequencies, windows)."""
    tensor, width = as_tensor(input), as_size(n_fft)
    if not isinstance(return_complex, bool) or center is OPEN or onesided is OPEN:
        raise UndecidedError
    if tensor.rank not in (1, 2):
        raise ShapeError("stft: expected a 1D or 2D tensor")
    step = floor_divide(width, 4) if hop_length is None else as_size(hop_length)
    around = floor_divide(width, 2) * 2 if center else 0
    length = tensor.sizes[-1] + around
    if compare(length, "<", width) or (center and compare(width, ">", tensor.sizes[-1] * 2 - 1)):
        raise ShapeError(f"stft: expected 0 < n_fft < {length}, but got n_fft={width}")
    complex_ = (tensor.dtype or "").startswith("complex")
    half = onesided is True or (onesided is None and not complex_)
    unknown = onesided is None and tensor.dtype is None
    high = make_fresh() if unknown else _half(width) if half else width
    shape = (high, floor_divide(length - width, step) + 1)
    if not return_complex:
        return TensorType((*tensor.sizes[:-1], *shape, 2), _to_real(tensor.dtype))
    return TensorType((*tensor.sizes[:-1], *shape), _to_complex(tensor.dtype))
