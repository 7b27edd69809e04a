"""What a built model says of its inputs: its attributes, and the layers that it meets first."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from math import prod
from typing import Any

import torch
from torch import nn

from lintorch.models.notation import FIRST_SIZES
from lintorch.trace.record import Input

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
)
_AXES: Mapping[tuple[int, bool], tuple[tuple[int, str], ...]] = {
    (2, False): ((1, "sequence"),),
    (4, True): ((2, "height"), (3, "width")),
}
"""Axes that commonly vary, by the rank of a tensor and whether it holds fractions."""
_BUILT_FOR = {
    **dict.fromkeys(("image_size", "img_size", "input_resolution", "img_dim"), ("height", "width")),
    **dict.fromkeys(("frames", "num_frames"), ("depth",)),
    **dict.fromkeys(("seq_len", "sequence_length"), ("sequence", "length")),
}
"""Arguments of constructors that say how big the inputs are."""
_SIDE_NAMES = ("in_size", "img_size", "image_size", "input_size", "input_resolution")


def inputs(module: nn.Module) -> tuple[tuple[Input, ...], dict[str, int]] | None:
    """What `example_input_array` or `dummy_inputs` show; batch is named, nothing else."""
    for name in ("example_input_array", "dummy_inputs"):
        try:
            given = getattr(module, name, None)
        except Exception:  # a property of the user's
            continue
        if callable(given):
            continue
        if found := _positional(module, given):
            return _shown(found)
    return None


def sides(module: nn.Module, arguments: Mapping[str, Any]) -> dict[str, int]:
    """Sizes that the model names as its own, or that it was built for."""
    built_for = {
        size: arguments[name]
        for name, sizes in _BUILT_FOR.items()
        for size in sizes
        if type(arguments.get(name)) is int
    }
    found = _side(module)
    return built_for if found is None else {**built_for, "height": found[0], "width": found[1]}


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


def _positional(module: nn.Module, given: Any) -> dict[str, torch.Tensor]:
    """Example tensors by the names of `forward`'s leading parameters; empty where they do not lead."""
    names = list(inspect.signature(module.forward).parameters)
    if isinstance(given, torch.Tensor):
        given = (given,)
    if isinstance(given, (tuple, list)) and all(isinstance(v, torch.Tensor) for v in given):
        return dict(zip(names, given, strict=False))
    if not isinstance(given, Mapping) or not given:
        return {}
    last = max((names.index(name) for name in given if name in names), default=-1)
    first = next(iter(given.values()))
    ones = torch.ones_like(first)
    leading = {name: given.get(name, ones) for name in names[: last + 1]}
    return leading if all(isinstance(v, torch.Tensor) for v in leading.values()) else {}


def _shown(found: Mapping[str, torch.Tensor]) -> tuple[tuple[Input, ...], dict[str, int]]:
    """Inputs like these tensors, with names for the axes that commonly vary."""
    batch = next((t.shape[0] for t in found.values() if t.dim()), 2)
    names: dict[str, int] = {"batch": max(2, batch)}
    shown = []
    for key, tensor in found.items():
        shape: list[int | str] = list(tensor.shape)
        if shape and shape[0] == batch:
            shape[0] = "batch"
        for axis, name in _AXES.get((tensor.dim(), tensor.dtype.is_floating_point), ()):
            if names.setdefault(name, tensor.shape[axis]) == tensor.shape[axis]:
                shape[axis] = name
        shown.append(_like(key, tensor, tuple(shape)))
    return tuple(shown), names


def _like(name: str, tensor: torch.Tensor, shape: tuple[int | str, ...]) -> Input:
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.dtype.is_floating_point or tensor.dtype is torch.bool or not tensor.numel():
        return Input(name, dtype, shape)
    return Input(name, dtype, shape, int(tensor.min()), int(tensor.max()) + 1)


def _side(module: nn.Module) -> tuple[int, int] | None:
    for holder in (module, getattr(module, "config", None), getattr(module, "patch_embed", None)):
        for name in _SIDE_NAMES:
            value = getattr(holder, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and 8 <= value <= 1024:
                return value, value
            if isinstance(value, (tuple, list)) and len(value) >= 2:
                height, width = value[-2:]
                if isinstance(height, int) and isinstance(width, int):
                    return height, width
    for name in ("default_cfg", "pretrained_cfg"):
        size = getattr(module, name, None)
        size = size.get("input_size") if isinstance(size, Mapping) else None
        if isinstance(size, (tuple, list)) and len(size) == 3:
            return int(size[1]), int(size[2])
    return None
