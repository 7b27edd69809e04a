"""`fold` and `unfold`: windows of an image as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lintorch.evaluator.operators.arguments import as_sizes, as_tensor, differ_surely, show_sizes
from lintorch.evaluator.operators.convolutions import slide_window
from lintorch.evaluator.operators.register import layer_shape, shape_of
from lintorch.evaluator.operators.tensor_types import Shape, ShapeError, TensorType, require
from lintorch.evaluator.sizes import Dim, compare, floor_divide, take_remainder


def _count_blocks(sizes: Shape, options: Sequence[Any]) -> tuple[Dim, Dim, list[Dim]]:
    kernel, dilation, padding, stride = (as_sizes(option, 2) for option in options)
    many = [
        slide_window(size, k, s, p, d)
        for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True)
    ]
    return many[0] * many[1], kernel[0] * kernel[1], many


@shape_of("torch.nn.functional.unfold")
def list_blocks(
    input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> TensorType:
    """The windows of an image as columns."""
    tensor = as_tensor(input)
    if tensor.rank not in (3, 4):
        raise ShapeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {show_sizes(tensor.sizes)}"
        )
    options = (kernel_size, dilation, padding, stride)
    blocks, area, many = _count_blocks(tensor.sizes[-2:], options)
    if any(compare(each, "<", 1) for each in many):
        raise ShapeError(
            f"Given input with spatial size ({', '.join(map(str, tensor.sizes[-2:]))}), calculated "
            f"shape of the array of sliding blocks as ({', '.join(map(str, many))}), but its "
            "components must be at least one."
        )
    return TensorType((*tensor.sizes[:-3], tensor.sizes[-3] * area, blocks), tensor.dtype)


@layer_shape("torch.nn.Unfold")
def list_blocks_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    names = ("kernel_size", "dilation", "padding", "stride")
    return list_blocks(input, *(settings[name] for name in names))


@shape_of("torch.nn.functional.fold")
def join_blocks(
    input: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> TensorType:
    """Columns put back as windows of an image."""
    tensor = as_tensor(input)
    require(tensor.rank in (2, 3), f"Expected 2D or 3D input, but got {tensor.rank}D")
    sizes = as_sizes(output_size, 2)
    blocks, area, _ = _count_blocks(sizes, (kernel_size, dilation, padding, stride))
    channels = tensor.sizes[-2]
    if compare(take_remainder(channels, area), "==", 0) is False:
        raise ShapeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
            f"got input.size(1)={channels} and kernel_size={show_sizes(as_sizes(kernel_size, 2))}."
        )
    if differ_surely(tensor.sizes[-1], blocks):
        raise ShapeError(
            f"Given output_size={show_sizes(sizes)}, expected size of input's dimension 2 to match the "
            f"calculated number of sliding blocks {blocks}, but got input.size(2)={tensor.sizes[-1]}."
        )
    found = (*tensor.sizes[:-2], floor_divide(channels, area), *sizes)
    return TensorType(found, tensor.dtype)


@layer_shape("torch.nn.Fold")
def join_blocks_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    names = ("output_size", "kernel_size", "dilation", "padding", "stride")
    return join_blocks(input, *(settings[name] for name in names))
