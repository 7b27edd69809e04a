"""Convolutions: which sizes come out, and which weights fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_size,
    as_sizes,
    as_tensor,
    differ_surely,
    is_below,
    show_sizes,
)
from lintorch.evaluator.operators.register import layer_shape, shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    ShapeError,
    TensorType,
    require,
)
from lintorch.evaluator.sizes import Dim, compare, floor_divide, take_remainder


def slide_window(size: Dim, kernel: Dim, stride: Dim, padding: Dim, dilation: Dim) -> Dim:
    """How many places a window has along an axis."""
    return floor_divide(size + padding * 2 - dilation * (kernel - 1) - 1, stride) + 1


def _require_bias(channels: Dim, bias: TensorType) -> None:
    if bias.rank != 1 or differ_surely(bias.sizes[0], channels):
        raise ShapeError(
            f"expected bias to be 1-dimensional with {channels} elements, but got bias of size "
            f"{show_sizes(bias.sizes)} instead"
        )


def convolve_with(
    tensor: TensorType, weight: Shape, options: Sequence[Any], groups: Dim
) -> TensorType:
    """The same for weights of which only the shape is known; `options` are stride, padding, dilation."""
    axes = len(weight) - 2
    require_batched(tensor, axes, f"conv{axes}d")
    if compare(groups, "<=", 0):
        raise ShapeError("non-positive groups is not supported")
    channels = tensor.sizes[-axes - 1]
    if differ_surely(channels, weight[1] * groups):
        shape = show_sizes(tensor.sizes if tensor.rank == axes + 2 else (1, *tensor.sizes))
        raise ShapeError(
            f"Given groups={groups}, weight of size {show_sizes(weight)}, expected input{shape} to "
            f"have {weight[1] * groups} channels, but got {channels} channels instead"
        )
    if compare(take_remainder(weight[0], groups), "==", 0) is False:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
            f"got weight of size [{show_sizes(weight)}] instead"
        )
    spatial = _slide_windows(tensor.sizes[-axes:], weight[2:], options)
    return TensorType((*tensor.sizes[: -axes - 1], weight[0], *spatial), tensor.dtype)


def require_batched(tensor: TensorType, axes: int, name: str) -> None:
    """Raises ShapeError where a tensor has not (batch,) channels and `axes` more."""
    if tensor.rank not in (axes + 1, axes + 2):
        raise ShapeError(
            f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {name}, but got input "
            f"of size: {show_sizes(tensor.sizes)}"
        )


def _slide_windows(sizes: Shape, kernels: Shape, options: Sequence[Any]) -> Shape:
    axes = len(sizes)
    stride, padding, dilation = options
    steps, spread = as_sizes(stride, axes), as_sizes(dilation, axes)
    if padding is not OPEN and padding == "same":  # an open argument cannot be compared
        require(
            not any(differ_surely(step, 1) for step in steps),
            "padding='same' is not supported for strided convolutions",
        )
        return sizes
    around = (0,) * axes if _is_valid(padding) else as_sizes(padding, axes)
    reach = [d * (k - 1) + 1 for k, d in zip(kernels, spread, strict=True)]
    padded = [size + pad * 2 for size, pad in zip(sizes, around, strict=True)]
    if any(is_below(size, kernel) for size, kernel in zip(padded, reach, strict=True)):
        raise ShapeError(
            f"Calculated padded input size per channel: ({join_crosses(padded)}). Kernel size: "
            f"({join_crosses(reach)}). Kernel size can't be greater than actual input size"
        )
    if any(compare(step, "<=", 0) for step in steps):
        raise ShapeError("non-positive stride is not supported")
    return tuple(
        slide_window(size, kernel, step, pad, far)
        for size, kernel, step, pad, far in zip(sizes, kernels, steps, around, spread, strict=True)
    )


def _is_valid(padding: Any) -> bool:
    if isinstance(padding, str):
        require(padding == "valid", f"Invalid padding string: '{padding}'")
        return True
    return False


def join_crosses(sizes: Sequence[Dim]) -> str:
    """Sizes as torch prints those of windows: `2 x 3`."""
    return " x ".join(map(str, sizes))


def _make_weight(settings: Any, axes: int, *, transposed: bool = False) -> tuple[Shape, Dim]:
    groups = as_size(settings["groups"])
    came, went = as_size(settings["in_channels"]), as_size(settings["out_channels"])
    kernel = as_sizes(settings["kernel_size"], axes)
    if transposed:
        return (came, floor_divide(went, groups), *kernel), groups
    return (went, floor_divide(came, groups), *kernel), groups


def _make_layer(axes: int) -> Any:
    def convolve_layer(settings: Any, input: Any) -> TensorType:
        weight, groups = _make_weight(settings, axes)
        options = [settings["stride"], settings["padding"], settings["dilation"]]
        if len(weight) != axes + 2:  # `Conv1d(3, 8, kernel_size=(1, 2))`
            _require_kernels(as_tensor(input), TensorType(weight), axes)
        return convolve_with(as_tensor(input), weight, options, groups)

    return convolve_layer


def _make_transposed_layer(axes: int) -> Any:
    def convolve_transposed_layer(settings: Any, input: Any, output_size: Any = None) -> TensorType:
        weight, groups = _make_weight(settings, axes, transposed=True)
        names = ("stride", "padding", "output_padding", "dilation")
        options = [settings[name] for name in names]
        found = _transpose_with(as_tensor(input), weight, options, groups)
        if output_size is None:
            return found
        wanted = as_sizes(output_size)[-axes:]
        return TensorType((*found.sizes[:-axes], *wanted), found.dtype)

    return convolve_transposed_layer


def _transpose_with(
    tensor: TensorType, weight: Shape, options: Sequence[Any], groups: Dim
) -> TensorType:
    axes = len(weight) - 2
    require_batched(tensor, axes, f"conv_transpose{axes}d")
    channels = tensor.sizes[-axes - 1]
    if differ_surely(channels, weight[0]):
        shape = show_sizes(tensor.sizes if tensor.rank == axes + 2 else (1, *tensor.sizes))
        raise ShapeError(
            f"Given transposed=1, weight of size {show_sizes(weight)}, expected input{shape} to have "
            f"{weight[0]} channels, but got {channels} channels instead"
        )
    each = [as_sizes(option, axes) for option in options]
    spatial = [
        (size - 1) * step - pad * 2 + far * (kernel - 1) + more + 1
        for size, kernel, step, pad, more, far in zip(
            tensor.sizes[-axes:], weight[2:], *each, strict=True
        )
    ]
    if any(compare(size, "<=", 0) for size in spatial):
        raise ShapeError(
            f"Given input size per channel: ({join_crosses(tensor.sizes[-axes:])}). Calculated output size "
            f"per channel: ({join_crosses(spatial)}). Output size is too small"
        )
    return TensorType((*tensor.sizes[: -axes - 1], weight[1] * groups, *spatial), tensor.dtype)


def _make_function(axes: int) -> Any:
    def convolve(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: Any = 1,
    ) -> TensorType:
        tensor, kernels = as_tensor(input), as_tensor(weight)
        _require_kernels(tensor, kernels, axes)
        if isinstance(bias, TensorType) and bias.shape is not None:
            _require_bias(kernels.sizes[0], bias)
        options = [stride, padding, dilation]
        return convolve_with(tensor, kernels.sizes, options, as_size(groups))

    return convolve


def _require_kernels(tensor: TensorType, kernels: TensorType, axes: int) -> None:
    require_batched(tensor, axes, f"conv{axes}d")
    if kernels.rank != axes + 2:
        raise ShapeError(
            f"Expected {kernels.rank}-dimensional input for {kernels.rank}-dimensional weight "
            f"{show_sizes(kernels.sizes)}, but got {tensor.rank}-dimensional input of size "
            f"{show_sizes(tensor.sizes)} instead"
        )


def _make_transposed_function(axes: int) -> Any:
    def convolve_transposed(
        input: Any,
        weight: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: Any = 1,
        dilation: Any = 1,
    ) -> TensorType:
        tensor, kernels = as_tensor(input), as_tensor(weight)
        _require_kernels(tensor, kernels, axes)
        options = [stride, padding, output_padding, dilation]
        return _transpose_with(tensor, kernels.sizes, options, as_size(groups))

    return convolve_transposed


for _axes in (1, 2, 3):
    _homes = ("torch", "torch.nn.functional")
    shape_of(*spell_names(f"conv{_axes}d", *_homes))(_make_function(_axes))
    shape_of(*spell_names(f"conv_transpose{_axes}d", *_homes))(_make_transposed_function(_axes))
    layer_shape(f"torch.nn.Conv{_axes}d")(_make_layer(_axes))
    layer_shape(f"torch.nn.ConvTranspose{_axes}d")(_make_transposed_layer(_axes))
