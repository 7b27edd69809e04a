"""What the new ONNX exporter translates of real numbers alone. Asked of torch 2.13, each on complex64.

It writes a complex number as two real ones, and takes mul, matmul, add, sub, div, abs, angle, conj,
sum, mean, cat, stack, slices, view, permute, roll, flip and Fourier transforms of such.
"""

from __future__ import annotations

from lintorch.evaluator.events import Called, Indexed
from lintorch.evaluator.subscripts import split_index
from lintorch.evaluator.values import Constant, Items, Slice, Tensor, Value

_FUNCTIONS = (
    "einsum", "bmm", "mm", "tensordot", "exp", "log", "pow", "square", "sqrt", "tanh", "where",
    "unsqueeze", "split", "chunk", "unbind", "select", "gather", "index_select", "masked_fill",
    "cumsum", "prod", "tril", "triu", "zeros_like", "ones_like",
)  # fmt: skip
_METHODS = ("expand", "expand_as", "repeat", "new_zeros", "norm", "detach")
_OTHERS = (
    "torch.nn.functional.linear",
    "torch.nn.functional.pad",
    "torch.linalg.norm",
    "torch.norm",
)
REAL_ALONE = (
    *(f"torch.{name}" for name in _FUNCTIONS),
    *(f"torch.Tensor.{name}" for name in (*_FUNCTIONS, *_METHODS) if name not in ("einsum", "tensordot")),
    *_OTHERS,
)  # fmt: skip
"""Functions and methods that it refuses to translate of complex numbers."""
APART = "work with the real and the imaginary part as tensors of their own (x.real, x.imag)"
"""What to write instead."""


def is_complex(value: Value | None) -> bool:
    """Whether it is a tensor of complex numbers, or has one among its items."""
    if isinstance(value, Items):
        return any(map(is_complex, value.items or ()))
    return isinstance(value, Tensor) and (value.dtype or "").startswith("complex")


def takes_complex(event: Called) -> bool:
    """Whether a function is given a tensor of complex numbers."""
    return any(map(is_complex, (*event.positional, *event.keyword.values())))


def picks_complex(event: Indexed) -> bool:
    """`z[:, 0]`, `z[..., None]`, `z[index]` of complex numbers: slices alone are translated."""
    parts = split_index(event.index) if is_complex(event.held) else None
    return parts is not None and not all(map(_is_slice, parts))


def _is_slice(part: Value) -> bool:
    return isinstance(part, Slice) or part == Constant(Ellipsis)
