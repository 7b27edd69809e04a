"""Pools: windows that slide, and those that adapt to the size asked for."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_size,
    as_sizes,
    as_tensor,
    make_fresh,
    show_sizes,
)
from lintorch.evaluator.operators.convolutions import slide_window
from lintorch.evaluator.operators.register import layer_shape, shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    ShapeError,
    TensorType,
    UndecidedError,
)
from lintorch.evaluator.sizes import Dim, compare

Pooled = TensorType | tuple[TensorType, TensorType]


def pool_windows(
    tensor: TensorType,
    axes: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: Any,
) -> TensorType:
    """One value for each window. Raises ShapeError where none fits in."""
    _require_rank(tensor, axes)
    kernel = as_sizes(kernel_size, axes)
    unset = stride is not OPEN and (stride is None or stride == ())
    windows = zip(
        tensor.sizes[-axes:],
        kernel,
        kernel if unset else as_sizes(stride, axes),
        as_sizes(padding, axes),
        as_sizes(dilation, axes),
        strict=True,
    )
    sizes = [_count_windows(*window, ceil=ceil_mode) for window in windows]
    return TensorType((*_check_sizes(tensor, axes, sizes), *sizes), tensor.dtype)


def _require_rank(tensor: TensorType, axes: int) -> None:
    if tensor.rank not in (axes + 1, axes + 2):
        raise ShapeError(
            f"Expected {axes + 1}D or {axes + 2}D (batch mode) tensor, but got input of size: "
            f"{show_sizes(tensor.sizes)}"
        )


def _count_windows(
    size: Dim, kernel: Dim, stride: Dim, padding: Dim, dilation: Dim, *, ceil: Any
) -> Dim:
    if compare(padding * 2, ">", kernel):
        raise ShapeError(
            "pad should be at most half of effective kernel size, but got "
            f"pad={padding}, kernel_size={kernel} and dilation={dilation}"
        )
    if ceil is False:
        return slide_window(size, kernel, stride, padding, dilation)
    many = slide_window(size + stride - 1, kernel, stride, padding, dilation)
    if ceil is not True:
        return make_fresh(many)
    begins = (many - 1) * stride  # a window that begins in the padding at the end is left out
    if compare(padding + stride, "<=", kernel) or compare(begins, "<", size + padding):
        return many
    return many - 1 if compare(begins, ">=", size + padding) else make_fresh(many)


def _check_sizes(tensor: TensorType, axes: int, sizes: list[Dim]) -> Shape:
    """The axes ahead of those pooled. Raises ShapeError where nothing comes out."""
    if any(compare(size, "<", 1) for size in sizes):
        channels = tensor.sizes[-axes - 1]
        flat = (1,) if axes == 1 else ()  # a row is pooled as an image of one row
        came = "x".join(map(str, (channels, *flat, *tensor.sizes[-axes:])))
        went = "x".join(map(str, (channels, *flat, *sizes)))
        raise ShapeError(
            f"Given input size: ({came}). Calculated output size: ({went}). Output size is too small"
        )
    return tensor.sizes[:-axes]


def _with_indices(pooled: TensorType, return_indices: Any) -> Pooled:
    if return_indices is OPEN:
        raise UndecidedError
    return (pooled, TensorType(pooled.shape, "int64")) if return_indices else pooled


def _register_pools(axes: int) -> None:
    def pool_maxima(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: Any = False,
        return_indices: Any = False,
    ) -> Pooled:
        pooled = pool_windows(
            as_tensor(input), axes, kernel_size, stride, padding, dilation, ceil_mode
        )
        return _with_indices(pooled, return_indices)

    def pool_means(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: Any = False,
        norm_type: Any = 1,
    ) -> TensorType:
        return pool_windows(as_tensor(input), axes, kernel_size, stride, padding, 1, ceil_mode)

    def pool_maxima_in_layer(settings: Any, input: Any) -> Pooled:
        names = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
        return pool_maxima(input, *(settings[name] for name in names))

    def pool_means_in_layer(settings: Any, input: Any) -> TensorType:
        padding = settings.get("padding", 0)
        return pool_means(
            input, settings["kernel_size"], settings["stride"], padding, settings["ceil_mode"]
        )

    homes = ("torch", "torch.nn.functional")
    shape_of(*spell_names(f"max_pool{axes}d", *homes))(pool_maxima)
    shape_of(*spell_names(f"avg_pool{axes}d lp_pool{axes}d", *homes))(pool_means)
    layer_shape(f"torch.nn.MaxPool{axes}d")(pool_maxima_in_layer)
    layer_shape(f"torch.nn.AvgPool{axes}d", f"torch.nn.LPPool{axes}d")(pool_means_in_layer)


def adapt_sizes(tensor: TensorType, output_size: Any, axes: int) -> TensorType:
    """The sizes asked for; None leaves an axis as it is."""
    listed = isinstance(output_size, (list, tuple))
    asked = list(output_size) if listed else [output_size] * axes
    asked = asked * axes if listed and len(asked) == 1 else asked
    if len(asked) != axes or any(isinstance(each, int) and each != 1 for each in asked):
        _require_rank(tensor, axes)  # whatever has these axes is let pass where all are made one
    sizes = [
        own if each is not OPEN and each is None else as_size(each)
        for own, each in zip(tensor.sizes[-axes:], asked, strict=True)
    ]
    return TensorType((*tensor.sizes[:-axes], *sizes), tensor.dtype)


def _register_adaptive(axes: int) -> None:
    def adapt_means(input: Any, output_size: Any) -> TensorType:
        return adapt_sizes(as_tensor(input), output_size, axes)

    def adapt_maxima(input: Any, output_size: Any, return_indices: Any = False) -> Pooled:
        return _with_indices(adapt_sizes(as_tensor(input), output_size, axes), return_indices)

    def adapt_means_in_layer(settings: Any, input: Any) -> TensorType:
        return adapt_means(input, settings["output_size"])

    def adapt_maxima_in_layer(settings: Any, input: Any) -> Pooled:
        return adapt_maxima(input, settings["output_size"], settings["return_indices"])

    homes = ("torch", "torch.nn.functional")
    shape_of(*spell_names(f"adaptive_avg_pool{axes}d", *homes))(adapt_means)
    shape_of(f"torch.nn.functional.adaptive_max_pool{axes}d")(adapt_maxima)
    layer_shape(f"torch.nn.AdaptiveAvgPool{axes}d")(adapt_means_in_layer)
    layer_shape(f"torch.nn.AdaptiveMaxPool{axes}d")(adapt_maxima_in_layer)


def _register_unpools(axes: int) -> None:
    def unpool_maxima(
        input: Any,
        indices: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        output_size: Any = None,
    ) -> TensorType:
        tensor = as_tensor(input)
        as_tensor(indices)
        if output_size is not None:
            return TensorType((*tensor.sizes[:-axes], *as_sizes(output_size)[-axes:]), tensor.dtype)
        kernel = as_sizes(kernel_size, axes)
        steps = kernel if stride is None else as_sizes(stride, axes)
        windows = zip(tensor.sizes[-axes:], kernel, steps, as_sizes(padding, axes), strict=True)
        sizes = [(size - 1) * step - pad * 2 + window for size, window, step, pad in windows]
        return TensorType((*tensor.sizes[:-axes], *sizes), tensor.dtype)

    def unpool_maxima_in_layer(
        settings: Any, input: Any, indices: Any, output_size: Any = None
    ) -> TensorType:
        kernel, steps = settings["kernel_size"], settings["stride"]
        return unpool_maxima(input, indices, kernel, steps, settings["padding"], output_size)

    shape_of(f"torch.nn.functional.max_unpool{axes}d")(unpool_maxima)
    layer_shape(f"torch.nn.MaxUnpool{axes}d")(unpool_maxima_in_layer)


for _axes in (1, 2, 3):
    _register_pools(_axes)
    _register_adaptive(_axes)
    _register_unpools(_axes)
