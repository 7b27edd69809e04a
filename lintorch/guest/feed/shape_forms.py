"""Shapes that the layers of a model take, and those that models commonly take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from math import prod

from torch import nn

from lintorch.record.input_notation import FIRST_SIZES
from lintorch.record.trace import Input

Form = tuple[Input, dict[str, int]]
_PLANE = {"batch": 2, "height": 64, "width": 64}
COMMON: tuple[Form, ...] = (
    (Input("", "float32", ("batch", 3, "height", "width")), _PLANE),
    (Input("", "float32", ("batch", 64, "height", "width")), {**_PLANE, "height": 16, "width": 16}),
    (Input("", "float32", ("batch", "sequence", 64)), {"batch": 2, "sequence": 16}),
    (Input("", "float32", ("batch", 64)), {"batch": 2}),
    (Input("", "int64", ("batch", "sequence"), 0, 8), {"batch": 2, "sequence": 16}),
    (Input("", "float32", ("batch", 8, "height", "width")), {**_PLANE, "height": 16, "width": 16}),
    (Input("", "float32", ("batch", 10)), {"batch": 2}),
    (
        Input("", "float32", ("batch", 3, "depth", "height", "width")),
        {"batch": 2, "depth": 32, "height": 32, "width": 32},
    ),
    (Input("", "float32", ("batch", 2, 3, "height", "width")), _PLANE),
)


def by_layers(module: nn.Module) -> Iterator[Form]:
    """Shapes that the first layers of each kind take, in the order of registration."""
    kinds: set[tuple[int, str]] = set()
    layers = list(module.modules())
    for layer, further in zip_longest(layers, layers[1:]):
        form = _form(layer) or _written_form(layer, further)
        if form is not None and (kind := (len(form[0].shape), form[0].dtype)) not in kinds:
            kinds.add(kind)
            yield form


def _form(layer: nn.Module) -> Form | None:
    plane = {"batch": 2, "height": 64, "width": 64}
    if isinstance(layer, nn.Embedding):
        high = max(1, layer.num_embeddings - 1)
        return Input("", "int64", ("batch", "sequence"), 0, high), {"batch": 2, "sequence": 16}
    if isinstance(layer, (nn.Conv2d, nn.ConvTranspose2d)):
        return Input("", "float32", ("batch", layer.in_channels, "height", "width")), plane
    if isinstance(layer, nn.BatchNorm2d):
        return Input("", "float32", ("batch", layer.num_features, "height", "width")), plane
    if isinstance(layer, (nn.Conv3d, nn.ConvTranspose3d)):
        volume = ("batch", layer.in_channels, "depth", "height", "width")
        return Input("", "float32", volume), {"batch": 2, "depth": 32, "height": 32, "width": 32}
    if isinstance(layer, (nn.Conv1d, nn.ConvTranspose1d)):
        shape = ("batch", layer.in_channels, "length")
        return Input("", "float32", shape), {"batch": 2, "length": 256}
    return _sequence_form(layer)


def _written_form(layer: nn.Module, further: nn.Module | None) -> Form | None:
    """The shape in the pattern of a layer that rearranges: "b c (h p1) (w p2) -> b (h w) (p1 p2 c)"."""
    pattern, given = getattr(layer, "pattern", None), getattr(layer, "axes_lengths", None)
    if not isinstance(pattern, str) or "->" not in pattern or "..." in pattern:
        return None
    left, right = (
        [m[0] for m in re.finditer(r"\([^)]*\)|\S+", side)] for side in pattern.split("->")
    )
    names = _NAMES.get(len(left))
    if names is None or any("(" in part for part in left[:2]):
        return None
    known = dict(given if isinstance(given, Mapping) else {})
    inner = re.findall(r"\w+", right[-1])
    width = (
        getattr(further, "in_features", None)
        or (getattr(further, "normalized_shape", None) or (0,))[0]
    )
    rest = prod(known.get(name, 1) for name in inner)
    channels = width // rest if left[1] in inner and width and width % rest == 0 else 3
    sizes = {"batch": 2, **{name: FIRST_SIZES[name] for name in names}}
    return Input("", "float32", ("batch", channels, *names)), sizes


_NAMES = {3: ("length",), 4: ("height", "width"), 5: ("depth", "height", "width")}


def _sequence_form(layer: nn.Module) -> Form | None:
    sequence = {"batch": 2, "sequence": 16}
    if isinstance(layer, nn.Linear):
        return Input("", "float32", ("batch", layer.in_features)), {"batch": 2}
    if isinstance(layer, nn.RNNBase):
        return Input("", "float32", ("batch", "sequence", layer.input_size)), sequence
    if isinstance(layer, nn.LayerNorm) and len(layer.normalized_shape) == 1:
        return Input("", "float32", ("batch", "sequence", layer.normalized_shape[0])), sequence
    if isinstance(layer, nn.MultiheadAttention):
        return Input("", "float32", ("batch", "sequence", layer.embed_dim)), sequence
    return None
