"""Attention, and the layers of transformers."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import as_size, as_tensor, differ_surely, show_sizes
from lintorch.evaluator.operators.broadcast import broadcast_shapes
from lintorch.evaluator.operators.products import multiply_any
from lintorch.evaluator.operators.register import layer_shape, shape_of
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    ShapeError,
    TensorType,
    UndecidedError,
    require,
)
from lintorch.evaluator.sizes import Dim


@shape_of("torch.nn.functional.scaled_dot_product_attention")
def attend(
    query: Any, key: Any, value: Any, attn_mask: Any = None, enable_gqa: Any = False
) -> TensorType:
    """Queries of (…, L, E) over keys of (…, S, E) and values of (…, S, V) give (…, L, V)."""
    asks, keys, values = as_tensor(query), as_tensor(key), as_tensor(value)
    if any(each.rank < 2 for each in (asks, keys, values)):
        raise ShapeError(
            "scaled_dot_product_attention: Expected query, key, and value to all be  at least 2 "
            f"dimensional, but got query.dim(): {asks.rank}, key.dim(): {keys.rank} and value.dim(): "
            f"{values.rank} instead."
        )
    grouped = enable_gqa is OPEN or bool(enable_gqa)
    _require_products(*(_drop_heads(each) if grouped else each for each in (asks, keys, values)))
    ahead = asks.sizes[:-2]
    for other in () if grouped else (keys, values):
        ahead = broadcast_shapes(ahead, other.sizes[:-2])
    if isinstance(attn_mask, TensorType) and attn_mask.shape is not None:
        broadcast_shapes(attn_mask.sizes, (*ahead, asks.sizes[-2], keys.sizes[-2]))
    return TensorType((*ahead, asks.sizes[-2], values.sizes[-1]), asks.dtype)


def _require_products(asks: TensorType, keys: TensorType, values: TensorType) -> None:
    """Raises ShapeError as the two products do of which attention is made."""
    turned = (*keys.sizes[:-2], keys.sizes[-1], keys.sizes[-2])
    multiply_any(multiply_any(asks, TensorType(turned)), values)


def _drop_heads(tensor: TensorType) -> TensorType:
    return TensorType(tensor.sizes[-2:], tensor.dtype)


@layer_shape("torch.nn.MultiheadAttention")
def attend_in_layer(
    settings: Any,
    query: Any,
    key: Any,
    value: Any,
    need_weights: Any = True,
    average_attn_weights: Any = True,
) -> tuple[TensorType, Any]:
    """What is found, and the weights."""
    asks, keys, values = as_tensor(query), as_tensor(key), as_tensor(value)
    require(
        asks.rank in (2, 3),
        f"query should be unbatched 2D or batched 3D tensor but received {asks.rank}-D query tensor",
    )
    width = as_size(settings["embed_dim"])
    if differ_surely(asks.sizes[-1], width):
        raise ShapeError(f"was expecting embedding dimension of {width}, but got {asks.sizes[-1]}")
    for tensor, name in ((keys, "kdim"), (values, "vdim")):
        wanted = settings[name] if settings[name] is OPEN or settings[name] is not None else width
        if tensor.rank != asks.rank or differ_surely(tensor.sizes[-1], as_size(wanted)):
            raise ShapeError(
                f"key shape {show_sizes(keys.sizes)} does not match value shape "
                f"{show_sizes(values.sizes)}, or the sizes that the layer was built with"
            )
    if settings["batch_first"] is not OPEN:
        _require_batches(asks, keys, values, bool(settings["batch_first"]))
    if need_weights is OPEN:
        return asks, OPEN
    return asks, _type_weights(settings, asks, keys, average_attn_weights) if need_weights else None


def _require_batches(asks: TensorType, keys: TensorType, values: TensorType, first: bool) -> None:
    if asks.rank == 3:
        batch, length = (0, 1) if first else (1, 0)
        for other in (keys, values):
            if differ_surely(asks.sizes[batch], other.sizes[batch]):
                raise ShapeError(
                    f"the batches of query {show_sizes(asks.sizes)} and of key or value "
                    f"{show_sizes(other.sizes)} differ"
                )
        if differ_surely(keys.sizes[length], values.sizes[length]):
            raise ShapeError(
                f"key's sequence and batch dims {show_sizes(keys.sizes[:2])} do not match value's "
                f"{show_sizes(values.sizes[:2])}"
            )


def _read_flag(flag: Any) -> bool:
    if flag is OPEN:
        raise UndecidedError
    return bool(flag)


def _type_weights(settings: Any, asks: TensorType, keys: TensorType, average: Any) -> TensorType:
    flags = (settings["add_bias_kv"], settings["add_zero_attn"])
    if average is OPEN or any(flag is not False for flag in flags):
        return TensorType(None, asks.dtype)
    heads = () if average else (as_size(settings["num_heads"]),)
    if asks.rank == 2:
        return TensorType((*heads, asks.sizes[0], keys.sizes[0]), asks.dtype)
    if settings["batch_first"] is OPEN:
        return TensorType(None, asks.dtype)
    batch = 0 if settings["batch_first"] else 1
    ends = (asks.sizes[1 - batch], keys.sizes[1 - batch])
    return TensorType((asks.sizes[batch], *heads, *ends), asks.dtype)


@layer_shape("torch.nn.TransformerEncoderLayer")
def encode_in_layer(settings: Any, src: Any) -> TensorType:
    """One layer that leaves the shape as it is."""
    return _require_width(as_tensor(src), as_size(settings["d_model"]))


@layer_shape("torch.nn.TransformerDecoderLayer")
def decode_in_layer(settings: Any, tgt: Any, memory: Any) -> TensorType:
    """The same over what was encoded."""
    _require_width(as_tensor(memory), as_size(settings["d_model"]))
    return _require_width(as_tensor(tgt), as_size(settings["d_model"]))


@layer_shape("torch.nn.Transformer")
def transform_in_layer(settings: Any, src: Any, tgt: Any) -> TensorType:
    """Both, one after the other."""
    came, went = as_tensor(src), as_tensor(tgt)
    width = as_size(settings["d_model"])
    if differ_surely(came.sizes[-1], width) or differ_surely(went.sizes[-1], width):
        raise ShapeError("the feature number of src and tgt must be equal to d_model")
    batch = 0 if _read_flag(settings["batch_first"]) else 1
    if came.rank == 3 and went.rank == 3 and differ_surely(came.sizes[batch], went.sizes[batch]):
        raise ShapeError("the batch number of src and tgt must be equal")
    return went


def _require_width(tensor: TensorType, width: Dim) -> TensorType:
    if tensor.shape is not None:
        require(
            tensor.rank in (2, 3),
            "query should be unbatched 2D or batched 3D tensor but received "
            f"{tensor.rank}-D query tensor",
        )
        if differ_surely(tensor.sizes[-1], width):
            raise ShapeError(
                f"was expecting embedding dimension of {width}, but got {tensor.sizes[-1]}"
            )
    return tensor
