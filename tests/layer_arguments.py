"""Settings and inputs by chance for layers of torch.nn, found by the name of the shape function."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from operator_arguments import MAKERS, count_axes, draw_axis, draw_image, draw_shape

from lintorch.evaluator.operators.tensor_types import TensorType as T

Built = tuple[list[Any], dict[str, Any], list[Any]]
"""What the constructor takes by position and by name, and what the forward takes."""
Maker = Callable[[Random, str], Built]


def split_off(maker: str, inputs: int = 1) -> Maker:
    """What the function takes: the first are the forward's, the others the constructor's."""

    def build(chance: Random, name: str) -> Built:
        given, named = MAKERS[maker](
            chance, "torch.nn.functional." + name.rpartition(".")[2].lower()
        )
        return given[inputs:], named, given[:inputs]

    return build


def build_kept(chance: Random, name: str) -> Built:
    tail = name.rpartition(".")[2]
    low, high = {
        "Dropout1d": (2, 3),
        "Dropout2d": (3, 4),
        "Dropout3d": (4, 5),
        "Softmax2d": (3, 4),
    }.get(tail, (1, 4))
    settings = [0.1, 2.0] if tail == "Threshold" else []
    return settings, {}, [T(draw_shape(chance, low, high), "float32")]


def build_convolution(chance: Random, name: str) -> Built:
    groups = chance.choice((1, 1, 2))
    came, went = (groups * chance.randint(1, 3) for _ in "ab")
    named: dict[str, Any] = {"groups": groups, "stride": chance.choice((1, 2))}
    if "Transpose" not in name:
        named["padding"] = chance.choice((0, 1))
    return [came, went, chance.choice((1, 3))], named, [draw_image(chance, name, came)]


def build_batch_norm(chance: Random, name: str) -> Built:
    axes = count_axes(name)
    batch = [chance.randint(2, 3)]
    shape = (*batch, chance.randint(1, 4), *(chance.randint(2, 5) for _ in range(axes)))
    named = {"affine": chance.random() < 0.5} if "Instance" in name else {}
    return [shape[1]], named, [T(shape, "float32")]


def build_last(chance: Random, name: str) -> Built:
    shape = draw_shape(chance, 2, 4)
    many = chance.randint(1, len(shape))
    return [shape[-1] if many == 1 else shape[-many:]], {}, [T(shape, "float32")]


def build_groups(chance: Random, name: str) -> Built:
    groups = chance.choice((1, 2))
    channels = groups * chance.randint(1, 3)
    return [groups, channels], {}, [T((2, channels, *draw_shape(chance, 1, 2)), "float32")]


def build_linear(chance: Random, name: str) -> Built:
    shape = draw_shape(chance, 1, 4)
    if "Bilinear" in name:
        return [shape[-1], 3, 4], {}, [T(shape, "float32"), T((*shape[:-1], 3), "float32")]
    return [shape[-1], chance.randint(1, 5)], {}, [T(shape, "float32")]


def build_recurrent(chance: Random, name: str) -> Built:
    length, batch, inner, hidden = (chance.randint(1, 5) for _ in range(4))
    if name.endswith("Cell"):
        return [inner, hidden], {}, [T((batch, inner), "float32")]
    named: dict[str, Any] = {
        "num_layers": chance.randint(1, 2),
        "bidirectional": chance.random() < 0.5,
        "batch_first": chance.random() < 0.5,
    }
    if name.endswith("LSTM") and hidden > 1 and chance.random() < 0.3:
        named["proj_size"] = hidden - 1
    shape = (length, batch, inner) if chance.random() < 0.8 else (length, inner)
    given: list[Any] = [T(shape, "float32")]
    if name.endswith("GRU") and len(shape) == 3 and chance.random() < 0.5:
        ways = named["num_layers"] * (1 + named["bidirectional"])
        many = shape[0] if named["batch_first"] else shape[1]
        given.append(T((ways, many, hidden), "float32"))
    return [inner, hidden], named, given


def build_attention(chance: Random, name: str) -> Built:
    heads = chance.choice((1, 2))
    width = heads * chance.randint(1, 3)
    length, source, batch = (chance.randint(1, 4) for _ in range(3))
    first = chance.random() < 0.5
    asks, keys = ((batch, n, width) if first else (n, batch, width) for n in (length, source))
    named = {"batch_first": first}
    if name.endswith("EncoderLayer"):
        return [width, heads, 8], named, [T(asks, "float32")]
    if name.endswith("Attention"):
        return [width, heads], named, [T(asks, "float32"), T(keys, "float32"), T(keys, "float32")]
    if name.endswith("DecoderLayer"):
        return [width, heads, 8], named, [T(asks, "float32"), T(keys, "float32")]
    return [width, heads, 1, 1, 8], named, [T(keys, "float32"), T(asks, "float32")]


def build_flatten(chance: Random, name: str) -> Built:
    given, _ = MAKERS["unflatten_axis" if "Un" in name else "flatten_axes"](chance, "torch.flatten")
    return given[1:], {}, given[:1]


def build_pad(chance: Random, name: str) -> Built:
    axes = count_axes(name)
    pad = [chance.randint(0, 2) for _ in range(2 * axes)]
    settings: list[Any] = [1 if chance.random() < 0.4 else tuple(pad)]
    return settings + ([0.0] if "Constant" in name else []), {}, [draw_image(chance, name, least=3)]


def build_upsample(chance: Random, name: str) -> Built:
    image = T((1, 2, chance.randint(1, 5), chance.randint(1, 5)), "float32")
    if chance.random() < 0.4:
        return [chance.choice((3, (3, 4)))], {}, [image]
    return [], {"scale_factor": chance.choice((2, 0.5, 1.5))}, [image]


def build_pool(chance: Random, name: str) -> Built:
    function = "max_pool" if "Max" in name else "lp_pool" if "LP" in name else "avg_pool"
    tail = f"torch.nn.functional.{function}{count_axes(name)}d"
    given, named = MAKERS["pool_maxima"](chance, tail)
    return given[1:], named, given[:1]


def build_loss(chance: Random, name: str) -> Built:
    function = "binary" if "BCE" in name else name
    given, named = MAKERS["compare_stretched"](chance, function)
    return [], named, given


def build_class_loss(chance: Random, name: str) -> Built:
    given, named = MAKERS["compare_classes"](chance, "cross" if "Cross" in name else "nll")
    return [], named, given


def build_pair(word: str) -> Maker:
    def build(chance: Random, name: str) -> Built:
        spelled = "embedding_loss" if "CosineEmbedding" in name else word
        given, named = MAKERS["compare_directions"](chance, spelled)
        return [], named, given

    return build


def build_slopes(chance: Random, name: str) -> Built:
    shape = draw_shape(chance, 2, 4)
    return [chance.choice((1, shape[1]))], {}, [T(shape, "float32")]


def build_axis(chance: Random, name: str) -> Built:
    shape = draw_shape(chance, 1, 4)
    return [draw_axis(chance, len(shape))], {}, [T(shape, "float32")]


def build_unpool(chance: Random, name: str) -> Built:
    image = draw_image(chance, name, least=2)
    return [2], {}, [image, T(image.shape, "int64")]


BUILDERS: dict[str, Maker] = {
    "keep_type_in_layer": build_kept,
    "scale_negative_in_layer": build_slopes,
    "apply_linear_layer": build_linear,
    "apply_bilinear_layer": build_linear,
    "convolve_layer": build_convolution,
    "convolve_transposed_layer": build_convolution,
    "normalize_channels": build_batch_norm,
    "normalize_synchronously": lambda c, n: ([4], {}, [T((2, 4, 3), "float32")]),
    "normalize_last_in_layer": build_last,
    "normalize_groups_in_layer": build_groups,
    "normalize_neighbours": lambda c, n: ([2], {}, [T(draw_shape(c, 3, 4), "float32")]),
    "normalize_axis_in_layer": build_axis,
    "halve_axis_in_layer": lambda c, n: ([0], {}, [T((4, *draw_shape(c, 0, 2)), "float32")]),
    "shuffle_channels_in_layer": split_off("shuffle_channels"),
    "recur_simply": build_recurrent,
    "recur_with_cells": build_recurrent,
    "step_simply": build_recurrent,
    "step_with_cells": build_recurrent,
    "attend_in_layer": build_attention,
    "encode_in_layer": build_attention,
    "decode_in_layer": build_attention,
    "transform_in_layer": build_attention,
    "flatten_in_layer": build_flatten,
    "unflatten_in_layer": build_flatten,
    "pad_in_layer": build_pad,
    "resize_in_layer": build_upsample,
    "pool_maxima_in_layer": build_pool,
    "pool_means_in_layer": build_pool,
    "adapt_means_in_layer": split_off("adapt_means"),
    "adapt_maxima_in_layer": split_off("adapt_maxima"),
    "unpool_maxima_in_layer": build_unpool,
    "spread_channels_in_layer": lambda c, n: (
        [2],
        {},
        [T((1, 4 * c.randint(1, 3), 2, 3), "float32")],
    ),
    "gather_pixels_in_layer": lambda c, n: (
        [2],
        {},
        [T((1, 2, 2 * c.randint(1, 3), 4), "float32")],
    ),
    "list_blocks_in_layer": split_off("list_blocks"),
    "join_blocks_in_layer": lambda c, n: ([(4, 5), 2], {}, [T((2, 12, 12), "float32")]),
    "look_up_rows_in_layer": lambda c, n: ([5, 3], {}, [T(draw_shape(c, 0), "int64")]),
    "sum_rows_in_layer": lambda c, n: ([5, 3], {}, [T(draw_shape(c, 2, 2), "int64")]),
    "compare_stretched_in_layer": build_loss,
    "compare_logits_in_layer": build_loss,
    "compare_probabilities_in_layer": build_loss,
    "compare_classes_in_layer": build_class_loss,
    "compare_log_classes_in_layer": build_class_loss,
    "compare_directions_in_layer": build_pair("similarity"),
    "measure_pairs_in_layer": build_pair("distance"),
    "compare_ranks_in_layer": build_pair("ranking"),
    "compare_triplets_in_layer": build_pair("triplet"),
    "compare_alignments_in_layer": lambda c, n: (
        [],
        {},
        [T((5, 2, 4), "float32"), T((2, 3), "int64"), (5, 5), (3, 3)],
    ),
}
