"""Shapes that the layers of a model take, and those that models commonly take."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import prod

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.record.input_notation import FIRST_SIZES
from lintorch.record.models import Input

InputForm = tuple[Input, dict[str, int]]
"""An input without a name, and the first values of the sizes named in its shape."""
_POOLS = (nn.AvgPool2d, nn.MaxPool2d, nn.AdaptiveAvgPool2d, nn.AdaptiveMaxPool2d)
_PLANE = {"batch": 2, "height": 64, "width": 64}
"""A batch of two planes of 64 x 64 pixels."""
COMMON_FORMS: tuple[InputForm, ...] = (
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
"""What models commonly take, in the order it is tried: images, maps, sequences, vectors, tokens, volumes."""
_WORD_NAMES = re.compile(
    r"(\w+_)?(input_ids|token_ids|tokens?|texts?|captions?|questions?|words?|prompts?)"
)
_IMAGE_NAMES = re.compile(r"(\w+_)?(images?|imgs?|pixel_values|pictures?|photos?|frames?)")


def list_layer_forms(module: nn.Module) -> Iterator[InputForm]:
    """Shapes that the first layers of each kind take, in the order of registration."""
    kinds: set[tuple[int, str]] = set()
    layers = list(nn.Module.modules(module))
    if (pooled := _find_pooled(layers)) is not None:
        kinds.add((len(pooled[0].shape), pooled[0].dtype))
        yield pooled
    for layer, further in zip_longest(layers, layers[1:]):
        form = _get_form(layer) or _read_pattern(layer, further) or read_own_form(layer)
        if form is not None and (kind := (len(form[0].shape), form[0].dtype)) not in kinds:
            kinds.add(kind)
            yield form
    if not kinds and (width := _find_only_width(module)):
        yield Input("", "float32", ("batch", "sequence", width)), {"batch": 2, "sequence": 16}


def _find_pooled(layers: Sequence[nn.Module]) -> InputForm | None:
    """The maps that a pool takes ahead of the first linear layer: with as many channels as that is wide.

    A window is as large as its map.
    """
    pool: nn.Module | None = None
    for layer in layers:
        if isinstance(layer, nn.Linear) and pool is not None:
            window = getattr(pool, "kernel_size", None)
            if window is None:
                maps = Input("", "float32", ("batch", layer.in_features, "height", "width"))
                return maps, {"batch": 2, "height": 8, "width": 8}
            sides = window if isinstance(window, tuple) else (window, window)
            return Input("", "float32", ("batch", layer.in_features, *sides)), {"batch": 2}
        if _get_form(layer) is not None:
            return None
        pool = layer if isinstance(layer, _POOLS) else pool
    return None


def _find_only_width(module: nn.Module) -> int:
    """How long all weights of a model without layers are, where they are rows: it scales what comes last; else 0."""
    shapes = {tuple(weight.shape) for weight in module.parameters()}
    return shapes.pop()[0] if len(shapes) == 1 and len(next(iter(shapes))) == 1 else 0


def _get_form(layer: nn.Module) -> InputForm | None:
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
    return _get_sequence_form(layer)


def read_own_form(layer: nn.Module) -> InputForm | None:
    """The rows that a matrix of a user's own layer is multiplied with: `torch.mm(x, self.weight)`."""
    held = {n: p.shape[0] for n, p in layer._parameters.items() if p is not None and p.dim() == 2}
    if not held or type(layer).__module__.startswith("torch."):
        return None
    text = ast.unparse(parse_source_of(type(layer).forward))
    for name, width in held.items():
        if re.search(rf"(matmul|mm)\(([^()]*,\s*)?self\.{name}\)|@ self\.{name}\b", text):
            return Input("", "float32", ("batch", width)), {"batch": 2}
    return None


def _read_pattern(layer: nn.Module, further: nn.Module | None) -> InputForm | None:
    """The shape in the pattern of a layer that rearranges: "b c (h p1) (w p2) -> b (h w) (p1 p2 c)"."""
    pattern, given = getattr(layer, "pattern", None), getattr(layer, "axes_lengths", None)
    if not isinstance(pattern, str) or "->" not in pattern or "..." in pattern:
        return None
    left, right = (
        [m[0] for m in re.finditer(r"\([^)]*\)|\S+", side)] for side in pattern.split("->")
    )
    names = _SIDES_BY_RANK.get(len(left))
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


_SIDES_BY_RANK = {3: ("length",), 4: ("height", "width"), 5: ("depth", "height", "width")}


def _get_sequence_form(layer: nn.Module) -> InputForm | None:
    sequence = {"batch": 2, "sequence": 16}
    if isinstance(layer, nn.Linear):
        return Input("", "float32", ("batch", layer.in_features)), {"batch": 2}
    if isinstance(layer, nn.RNNBase):
        return Input("", "float32", ("batch", "sequence", layer.input_size)), sequence
    shape: Sequence[int] = getattr(
        layer, "normalized_shape", ()
    )  # some put a class of their own in its place
    if isinstance(layer, nn.LayerNorm) and len(shape) == 1:
        return Input("", "float32", ("batch", "sequence", shape[0])), sequence
    if isinstance(layer, nn.MultiheadAttention):
        return Input("", "float32", ("batch", "sequence", layer.embed_dim)), sequence
    return None


def choose_form_by_name(name: str, main: Input, forms: Sequence[InputForm]) -> Input:
    """What an argument of that name takes, where `forms` are those of the model's first layers."""
    if _WORD_NAMES.fullmatch(name) and main.dtype != "int64":
        found = [form for form, _ in forms if form.dtype == "int64"]
    elif _IMAGE_NAMES.fullmatch(name) and len(main.shape) < 4:
        found = [form for form, _ in (*forms, COMMON_FORMS[0]) if len(form.shape) == 4]
    else:
        return main
    return replace(found[0], name=main.name) if found else main
