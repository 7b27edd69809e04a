"""Methods that ask a tensor for its sizes."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import as_axis, as_tensor, multiply_sizes
from lintorch.evaluator.operators.register import shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import ShapeError
from lintorch.evaluator.sizes import Dim


@shape_of("torch.Tensor.size")
def ask_size(input: Any, dim: Any = None) -> Dim | tuple[Dim, ...]:
    """All sizes, or that of one axis."""
    tensor = as_tensor(input)
    if dim is not None and not tensor.rank:
        raise ShapeError(f"Dimension specified as {dim} but tensor has no dimensions")
    return tensor.sizes if dim is None else tensor.sizes[as_axis(dim, tensor.rank)]


@shape_of(*spell_names("numel nelement", "torch", "torch.Tensor"))
def count_all_elements(input: Any) -> Dim:
    """The product of all sizes."""
    return multiply_sizes(as_tensor(input).sizes)


@shape_of(*spell_names("dim ndimension", "torch.Tensor"))
def count_all_axes(input: Any) -> int:
    """How many axes there are."""
    return as_tensor(input).rank
