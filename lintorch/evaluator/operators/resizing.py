"""Operators that give images other sizes: interpolate, pad, pixel shuffles, grids."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_number,
    as_size,
    as_sizes,
    as_tensor,
    differ_surely,
    make_fresh,
    show_sizes,
)
from lintorch.evaluator.operators.register import layer_shape, shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import OPEN, ShapeError, TensorType, require
from lintorch.evaluator.sizes import Dim, compare, floor_divide, take_remainder

_LARGEST_FRACTION = 64


@shape_of(
    *spell_names("interpolate upsample upsample_nearest upsample_bilinear", "torch.nn.functional")
)
def resize_image(
    input: Any, size: Any = None, scale_factor: Any = None, mode: Any = "nearest"
) -> TensorType:
    """The last axes in sizes that are given, or scaled."""
    tensor = as_tensor(input)
    axes = tensor.rank - 2
    require(1 <= axes <= 3, _describe_modes(tensor, mode))
    if not _fits_mode(mode, axes):
        raise ShapeError(_describe_modes(tensor, mode))
    if size is OPEN or scale_factor is OPEN:  # which may be None
        return TensorType((*tensor.sizes[:2], *map(make_fresh, tensor.sizes[2:])), tensor.dtype)
    if (size is None) is (scale_factor is None):
        both = "only one of" if size is not None else "either"
        raise ShapeError(f"{both} size or scale_factor should be defined")
    if size is not None:
        _require_count(size, axes, tensor)
        return TensorType((*tensor.sizes[:2], *as_sizes(size, axes)), tensor.dtype)
    listed = isinstance(scale_factor, (list, tuple))
    factors = list(scale_factor) if listed else [scale_factor] * axes
    _require_count(factors, axes, tensor)
    sizes = (scale_size(own, by) for own, by in zip(tensor.sizes[2:], factors, strict=True))
    return TensorType((*tensor.sizes[:2], *sizes), tensor.dtype)


_AXES_OF_MODES = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}


def _fits_mode(mode: Any, axes: int) -> bool:
    return mode is OPEN or _AXES_OF_MODES.get(mode, axes) == axes


def _describe_modes(tensor: TensorType, mode: Any) -> str:
    return (
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
        f"{tensor.rank}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | "
        f"nearest-exact (got {mode})"
    )


def _require_count(given: Any, axes: int, tensor: TensorType) -> None:
    if isinstance(given, (list, tuple)) and len(given) != axes:
        raise ShapeError(
            "Input and output must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {show_sizes(tensor.sizes[2:])} and output size of "
            f"{show_sizes(given)}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
            "output size in (o1, o2, ...,oK) format."
        )


def scale_size(size: Dim, factor: Any) -> Dim:
    """A size by a factor, rounded down as torch does."""
    if factor is OPEN or not isinstance(factor, (int, float)):
        return make_fresh(size)
    if isinstance(size, int):
        return math.floor(float(size) * factor)
    exact = Fraction(factor)
    if exact.denominator > _LARGEST_FRACTION:
        return make_fresh(size)
    return floor_divide(size * exact.numerator, exact.denominator)


@layer_shape("torch.nn.Upsample", "torch.nn.UpsamplingNearest2d", "torch.nn.UpsamplingBilinear2d")
def resize_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    mode = settings.get("mode", "nearest")
    return resize_image(input, settings["size"], settings["scale_factor"], mode)


@shape_of("torch.nn.functional.pad")
def pad_axes(input: Any, pad: Any, mode: Any = "constant") -> TensorType:
    """Further places at both ends of the last axes, the last axis first."""
    tensor = as_tensor(input)
    given = as_sizes(pad)
    require(len(given) % 2 == 0, "Padding length must be divisible by 2")
    if len(given) // 2 > tensor.rank:
        raise ShapeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(given)} and input of dimension {tensor.rank}"
        )
    pairs = list(zip(given[::2], given[1::2], strict=True))
    sizes = list(tensor.sizes)
    for number, (before, after) in enumerate(pairs, 1):
        if mode == "reflect":
            _require_reflection(tensor, sizes[-number], before, after, tensor.rank - number)
        sizes[-number] = sizes[-number] + before + after
        if compare(sizes[-number], "<", 0):
            raise ShapeError(
                f"The input size {tensor.sizes[-number]}, plus negative padding {before} and {after} "
                "resulted in a negative output size, which is invalid. Check dimension "
                f"{tensor.rank - number} of your input."
            )
    return TensorType(tuple(sizes), tensor.dtype)


def _require_reflection(tensor: TensorType, size: Dim, before: Dim, after: Dim, axis: int) -> None:
    if compare(before, ">=", size) or compare(after, ">=", size):
        raise ShapeError(
            "Padding size should be less than the corresponding input dimension, but got: padding "
            f"({before}, {after}) at dimension {axis} of input {show_sizes(tensor.sizes)}"
        )


def _register_pad_layers(axes: int) -> None:
    def make_pad(mode: str) -> Any:
        def pad_in_layer(settings: Any, input: Any) -> TensorType:
            given = settings["padding"]
            listed = isinstance(given, (list, tuple))
            pad = given if listed else [given] * (2 * axes)
            return pad_axes(input, pad, mode)

        return pad_in_layer

    for kind, mode in (
        ("Constant", "constant"),
        ("Zero", "constant"),
        ("Reflection", "reflect"),
        ("Replication", "replicate"),
        ("Circular", "circular"),
    ):
        layer_shape(f"torch.nn.{kind}Pad{axes}d")(make_pad(mode))


for _axes in (1, 2, 3):
    _register_pad_layers(_axes)


@shape_of(*spell_names("pixel_shuffle", "torch", "torch.nn.functional"))
def spread_channels(input: Any, upscale_factor: Any) -> TensorType:
    """Channels as finer pixels."""
    tensor, factor = as_tensor(input), as_size(upscale_factor)
    require(
        tensor.rank >= 3,
        "pixel_shuffle expects input to have at least 3 dimensions, but got input with "
        f"{tensor.rank} dimension(s)",
    )
    *ahead, channels, height, width = tensor.sizes
    if compare(take_remainder(channels, factor * factor), "==", 0) is False:
        raise ShapeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
            f"upscale_factor, but input.size(-3)={channels} is not divisible by {factor * factor}"
        )
    fewer = floor_divide(channels, factor * factor)
    return TensorType((*ahead, fewer, height * factor, width * factor), tensor.dtype)


@shape_of(*spell_names("pixel_unshuffle", "torch", "torch.nn.functional"))
def gather_pixels(input: Any, downscale_factor: Any) -> TensorType:
    """Pixels as further channels."""
    tensor, factor = as_tensor(input), as_size(downscale_factor)
    require(
        tensor.rank >= 3,
        "pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
        f"{tensor.rank} dimension(s)",
    )
    *ahead, channels, height, width = tensor.sizes
    for name, size, number in (("height", height, -2), ("width", width, -1)):
        if compare(take_remainder(size, factor), "==", 0) is False:
            raise ShapeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({number})={size} is not divisible by {factor}"
            )
    small = (floor_divide(height, factor), floor_divide(width, factor))
    return TensorType((*ahead, channels * factor * factor, *small), tensor.dtype)


@layer_shape("torch.nn.PixelShuffle")
def spread_channels_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    return spread_channels(input, settings["upscale_factor"])


@layer_shape("torch.nn.PixelUnshuffle")
def gather_pixels_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    return gather_pixels(input, settings["downscale_factor"])


@shape_of("torch.nn.functional.grid_sample")
def sample_grid(input: Any, grid: Any) -> TensorType:
    """The values of an image at places that a grid names."""
    tensor, places = as_tensor(input), as_tensor(grid)
    axes = tensor.rank - 2
    if axes not in (2, 3) or places.rank != tensor.rank:
        raise ShapeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but "
            f"got input with sizes {show_sizes(tensor.sizes)} and grid with sizes "
            f"{show_sizes(places.sizes)}"
        )
    if differ_surely(tensor.sizes[0], places.sizes[0]):
        raise ShapeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with "
            f"sizes {show_sizes(tensor.sizes)} and grid with sizes {show_sizes(places.sizes)}"
        )
    if differ_surely(places.sizes[-1], axes):
        raise ShapeError(
            f"grid_sampler(): expected grid to have size {axes} in last dimension, but got grid with "
            f"sizes {show_sizes(places.sizes)}"
        )
    return TensorType((*tensor.sizes[:2], *places.sizes[1:-1]), tensor.dtype)


@shape_of("torch.nn.functional.affine_grid")
def make_affine_grid(theta: Any, size: Any) -> TensorType:
    """A grid of places for each of a batch of matrices."""
    matrices, sizes = as_tensor(theta), as_sizes(size)
    axes = len(sizes) - 2
    if axes not in (2, 3):
        raise ShapeError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {show_sizes(sizes)}"
        )
    expected = (as_number(axes), axes + 1)
    shape = matrices.sizes
    if len(shape) != 3 or any(
        differ_surely(a, b) for a, b in zip(shape[1:], expected, strict=True)
    ):
        raise ShapeError(
            f"Expected a batch of {axes}D affine matrices of shape Nx{axes}x{axes + 1} for size "
            f"{show_sizes(sizes)}. Got {show_sizes(shape)}."
        )
    return TensorType((sizes[0], *sizes[2:], axes), matrices.dtype)
