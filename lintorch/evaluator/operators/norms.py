"""Layers that keep the shape and ask something of an axis: norms, softmax, dropout of channels."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_axis,
    as_number,
    as_size,
    as_sizes,
    as_tensor,
    differ_surely,
    show_sizes,
)
from lintorch.evaluator.operators.promote_dtypes import as_floating, read_dtype
from lintorch.evaluator.operators.register import layer_shape, shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import OPEN, ShapeError, TensorType, require
from lintorch.evaluator.sizes import Dim, compare, take_remainder


@shape_of(*spell_names("softmax log_softmax softmin", "torch", "torch.Tensor", "torch.special"))
@shape_of(*spell_names("softmax log_softmax softmin", "torch.nn.functional"))
def normalize_axis(input: Any, dim: Any = None, dtype: Any = None) -> TensorType:
    """Weights along an axis that sum up to 1."""
    tensor = as_tensor(input)
    if dim is not None:
        as_axis(dim, tensor.rank)
    return TensorType(tensor.shape, read_dtype(dtype, tensor.dtype))


@shape_of("torch.nn.functional.gumbel_softmax")
def sample_axis(logits: Any, dim: Any = -1) -> TensorType:
    """The same with noise."""
    return normalize_axis(logits, dim)


@layer_shape(*spell_names("Softmax LogSoftmax Softmin", "torch.nn"))
def normalize_axis_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    return normalize_axis(input, settings["dim"])


@shape_of("torch.nn.functional.normalize")
def scale_to_length(input: Any, dim: Any = 1) -> TensorType:
    """Vectors of length 1 along an axis."""
    tensor = as_tensor(input)
    as_axis(dim, tensor.rank)
    return TensorType(tensor.shape, as_floating(tensor.dtype))


@shape_of(*spell_names("glu", "torch.nn.functional"))
def halve_axis(input: Any, dim: Any = -1) -> TensorType:
    """One half of an axis as gates of the other."""
    tensor = as_tensor(input)
    require(tensor.rank > 0, "glu does not support 0-dimensional tensors")
    axis = as_axis(dim, tensor.rank)
    size = tensor.sizes[axis]
    if compare(take_remainder(size, 2), "==", 0) is False:
        raise ShapeError(f"Halving dimension must be even, but dimension {axis} is size {size}")
    return TensorType((*tensor.sizes[:axis], size // 2, *tensor.sizes[axis + 1 :]), tensor.dtype)


@layer_shape("torch.nn.GLU")
def halve_axis_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    return halve_axis(input, settings["dim"])


@shape_of(*spell_names("batch_norm", "torch.nn.functional"))
def normalize_batch(
    input: Any, running_mean: Any = None, weight: Any = None, bias: Any = None
) -> TensorType:
    """Each channel by what is known of it."""
    tensor = as_tensor(input)
    for name, vector in (("running_mean", running_mean), ("weight", weight), ("bias", bias)):
        if isinstance(vector, TensorType) and vector.shape is not None and tensor.rank > 1:
            _require_channels(tensor.sizes[1], vector.sizes[0], name)
    return tensor


def _require_channels(channels: Dim, known: Dim, name: str) -> None:
    if differ_surely(channels, known):
        raise ShapeError(f"{name} should contain {channels} elements not {known}")


def _register_batch_norm(kind: str, axes: int, batched: bool) -> None:
    ranks = (axes + 1, axes + 2) if not batched else (axes + 2,)
    ranks = (2, 3) if axes == 1 else ranks
    words = " or ".join(f"{rank}D" for rank in ranks)

    def normalize_channels(settings: Any, input: Any) -> TensorType:
        tensor = as_tensor(input)
        if tensor.shape is None:
            return tensor
        require(tensor.rank in ranks, f"expected {words} input (got {tensor.rank}D input)")
        known = as_size(settings["num_features"])
        place = len(tensor.sizes) - axes - 1 if kind == "InstanceNorm" else 1
        asked = kind == "BatchNorm" or settings["affine"] is True
        if asked and not (settings["affine"] is False and not settings["track_running_stats"]):
            if kind == "InstanceNorm" and differ_surely(tensor.sizes[place], known):
                raise ShapeError(
                    f"expected input's size at dim={place} to match num_features ({known}), but got: "
                    f"{tensor.sizes[place]}."
                )
            _require_channels(tensor.sizes[place], known, "running_mean")
        return tensor

    layer_shape(f"torch.nn.{kind}{axes}d")(normalize_channels)


for _axes in (1, 2, 3):
    _register_batch_norm("BatchNorm", _axes, batched=True)
    _register_batch_norm("InstanceNorm", _axes, batched=False)


@layer_shape("torch.nn.SyncBatchNorm")
def normalize_synchronously(settings: Any, input: Any) -> TensorType:
    """Channels of all processes."""
    tensor = as_tensor(input)
    require(tensor.rank >= 2, f"expected at least 2D input (got {tensor.rank}D input)")
    _require_channels(tensor.sizes[1], as_size(settings["num_features"]), "running_mean")
    return tensor


@shape_of("torch.nn.functional.instance_norm")
def normalize_instances(input: Any) -> TensorType:
    """Each channel of each example by itself."""
    return as_tensor(input)


@shape_of(*spell_names("layer_norm rms_norm", "torch", "torch.nn.functional"))
def normalize_last(input: Any, normalized_shape: Any) -> TensorType:
    """The last axes together."""
    tensor = as_tensor(input)
    if tensor.shape is None or normalized_shape is OPEN:
        return tensor
    shape = as_sizes(normalized_shape)
    last = tensor.sizes[-len(shape) :]
    if tensor.rank < len(shape) or any(
        differ_surely(a, b) for a, b in zip(last, shape, strict=False)
    ):
        raise ShapeError(
            f"Given normalized_shape={show_sizes(shape)}, expected input with shape "
            f"{show_sizes(('*', *shape))}, but got input of size{show_sizes(tensor.sizes)}"  # type: ignore[arg-type]
        )
    return tensor


@layer_shape(*spell_names("LayerNorm RMSNorm", "torch.nn"))
def normalize_last_in_layer(settings: Any, input: Any = None, x: Any = None) -> TensorType:
    """The same as a layer."""
    return normalize_last(x if input is None else input, settings["normalized_shape"])


@shape_of(*spell_names("group_norm", "torch", "torch.nn.functional"))
def normalize_groups(input: Any, num_groups: Any, weight: Any = None) -> TensorType:
    """Channels in groups."""
    tensor = as_tensor(input)
    require(
        tensor.rank >= 2,
        f"Expected at least 2 dimensions for input tensor but received {tensor.rank}",
    )
    channels, groups = tensor.sizes[1], as_size(num_groups)
    if compare(take_remainder(channels, groups), "==", 0) is False:
        raise ShapeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {show_sizes(tensor.sizes)} and num_groups={groups}"
        )
    if isinstance(weight, TensorType) and differ_surely(weight.sizes[0], channels):
        raise_unequal_weight(tensor, weight.sizes[0])
    return tensor


def raise_unequal_weight(tensor: TensorType, known: Dim) -> None:
    """Raises ShapeError for weights of another number of channels."""
    raise ShapeError(
        "Expected weight to be a vector of size equal to the number of channels in input, but got "
        f"weight of shape [{known}] and input of shape {show_sizes(tensor.sizes)}"
    )


@layer_shape("torch.nn.GroupNorm")
def normalize_groups_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    known = as_size(settings["num_channels"])
    weight = TensorType((known,)) if settings["affine"] is True else None
    return normalize_groups(input, settings["num_groups"], weight)


@shape_of("torch.nn.functional.local_response_norm")
@layer_shape("torch.nn.LocalResponseNorm")
def normalize_neighbours(input: Any) -> TensorType:
    """Each channel by those beside it."""
    tensor = as_tensor(input)
    require(
        tensor.shape is None or tensor.rank >= 3,
        "Expected 3D or higher dimensionality                          input (got "
        f"{0 if tensor.shape is None else tensor.rank} dimensions)",
    )
    return tensor


@shape_of(*spell_names("channel_shuffle", "torch", "torch.nn.functional"))
def shuffle_channels(input: Any, groups: Any) -> TensorType:
    """Channels in another order."""
    tensor = as_tensor(input)
    many = as_number(groups)
    channels = tensor.sizes[1]
    if compare(take_remainder(channels, many), "==", 0) is False:
        raise ShapeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {many} groups."
        )
    return tensor


@layer_shape("torch.nn.ChannelShuffle")
def shuffle_channels_in_layer(settings: Any, input: Any) -> TensorType:
    """The same as a layer."""
    return shuffle_channels(input, settings["groups"])
