"""What a built model says of its inputs by its attributes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from lintorch.record.models import Input

_VARYING_AXES: Mapping[tuple[int, bool], tuple[tuple[int, str], ...]] = {
    (2, False): ((1, "sequence"),),
    (4, True): ((2, "height"), (3, "width")),
}
"""Axes that commonly vary, by the rank of a tensor and whether it holds fractions."""
_SIZES_OF_ARGUMENT = {
    **dict.fromkeys(
        ("image_size", "img_size", "input_size", "input_resolution", "img_dim"), ("height", "width")
    ),
    **dict.fromkeys(("frames", "num_frames"), ("depth",)),
    **dict.fromkeys(("seq_len", "sequence_length"), ("sequence", "length")),
}
"""Arguments of constructors that say how big the inputs are."""
_RESOLUTIONS = ("input_resolution", "patches_resolution", "resolution", "x_size", "feat_size")
_WIDTHS = ("dim", "embed_dim", "in_dim", "in_channels", "d_model", "hidden_dim", "channels")
_SIDE_ATTRIBUTES = ("in_size", "img_size", "image_size", "input_size", "input_resolution")
_SIDES_OF_PARTS = ("img_size", "image_size")
"""Attributes by which a part, too, says how big the images of the whole are: the outermost part that has one."""
_SIDE_PAIRS = (
    *(("board_height", "board_width"), ("board_x", "board_y"), ("grid_height", "grid_width")),
    *(
        ("img_height", "img_width"),
        ("image_height", "image_width"),
        ("input_height", "input_width"),
    ),
    *(("img_x", "img_y"), ("img_h", "img_w"), ("input_h", "input_w"), ("imgH", "imgW")),
)
"""Attributes that keep one side each."""
_FRAMES_ATTRIBUTES = ("t_dim", "num_frames", "n_frames", "sample_duration", "clip_len")
"""Attributes that keep how many frames a video has."""
_LENGTH_ATTRIBUTES = (
    *("seq_len", "seq_length", "sequence_length", "input_len", "input_length"),
    *("lookback", "n_his", "his_len", "history_len"),
)
_OWN_LENGTH_ATTRIBUTES = ("win_size", "win_len", "window_len")
"""Those that say it of the whole alone: a part may keep how far its attention reaches."""
_LEAST_SIDE, _LARGEST_SIDE = 8, 1024
"""Pixels between which a number by such a name is taken for a side."""


def read_example_inputs(module: nn.Module) -> tuple[tuple[Input, ...], dict[str, int]] | None:
    """What `example_input_array` or `dummy_inputs` show; batch is named, nothing else."""
    for name in ("example_input_array", "dummy_inputs"):
        try:
            given = getattr(module, name, None)
        except Exception:  # a property of the user's
            continue
        if callable(given):
            continue
        if found := _name_examples(module, given):
            return _name_axes(found)
    return None


def read_sides(module: nn.Module, arguments: Mapping[str, Any]) -> dict[str, int]:
    """Sizes that the model names as its own, or that it was built for."""
    given = {**list_defaults(module), **arguments}
    built_for = {
        size: side
        for name, sizes in _SIZES_OF_ARGUMENT.items()
        for size, side in _parse_sizes(given.get(name), sizes).items()
    }
    found = _find_sides(module)
    held = _find_frames(module) | _find_length(module) | built_for
    return held if found is None else {**held, "height": found[0], "width": found[1]}


def _find_frames(module: nn.Module) -> dict[str, int]:
    """How many frames the model keeps that a video has."""
    held = (vars(module).get(name) for name in _FRAMES_ATTRIBUTES)
    frames = next((n for n in held if type(n) is int and 1 < n <= _LARGEST_SIDE), 0)
    return {"depth": frames} if frames else {}


def _find_length(module: nn.Module) -> dict[str, int]:
    """The length of sequences that the model, or the outermost part that has one, keeps."""
    parts = sorted(module.named_modules(), key=lambda pair: pair[0].count("."))
    named = [(part, name) for _, part in parts for name in _LENGTH_ATTRIBUTES]
    named += ((module, name) for name in _OWN_LENGTH_ATTRIBUTES)
    held = (vars(part).get(name) for part, name in named)
    length = next((n for n in held if type(n) is int and 1 < n <= _LARGEST_SIDE), 0)
    return {"sequence": length, "length": length} if length else {}


def read_token_form(module: nn.Module, arguments: Mapping[str, Any]) -> Input | None:
    """As many tokens as a map has places that a block was built for: `input_resolution`, `dim`."""
    for name in _RESOLUTIONS:
        sides: Any = getattr(module, name, None)
        pair = isinstance(sides, (tuple, list)) and len(sides) == 2
        width = next((found for n in _WIDTHS if (found := _find_width(n, module, arguments))), 0)
        if pair and width and all(type(side) is int for side in sides):
            return Input("", "float32", ("batch", sides[0] * sides[1], width))
    return None


def _find_width(name: str, module: nn.Module, arguments: Mapping[str, Any]) -> int:
    found = getattr(module, name, arguments.get(name))
    return found if type(found) is int else 0


def list_defaults(module: nn.Module) -> dict[str, Any]:
    """What the arguments of the module's constructor are where nothing is given."""
    try:
        parameters = inspect.signature(type(module).__init__).parameters
    except (TypeError, ValueError):
        return {}
    return {name: each.default for name, each in parameters.items()}


def _parse_sizes(given: Any, sizes: tuple[str, ...]) -> dict[str, int]:
    """Sides in one number for all of them, or in a tuple, also a written one, the last ones last."""
    if type(given) is int:
        return dict.fromkeys(sizes, given) if 1 < given <= _LARGEST_SIDE else {}
    given = str(given) if isinstance(given, (tuple, list)) else given
    numbers = re.fullmatch(r"[(\[](\d+(?:, ?\d+)+)[)\]]", given) if isinstance(given, str) else None
    if numbers is None or "height" not in sizes:
        return {}
    names = ("depth", "height", "width")
    sides = [int(number) for number in numbers[1].split(",")]
    return dict(zip(names[-len(sides) :], sides[-3:], strict=False))


def _name_examples(module: nn.Module, given: Any) -> dict[str, torch.Tensor]:
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


def _name_axes(found: Mapping[str, torch.Tensor]) -> tuple[tuple[Input, ...], dict[str, int]]:
    """Inputs like these tensors, with names for the axes that commonly vary."""
    batch = next((t.shape[0] for t in found.values() if t.dim()), 2)
    names: dict[str, int] = {"batch": max(2, batch)}
    inputs = []
    for key, tensor in found.items():
        shape: list[int | str] = list(tensor.shape)
        if shape and shape[0] == batch:
            shape[0] = "batch"
        for axis, name in _VARYING_AXES.get((tensor.dim(), tensor.dtype.is_floating_point), ()):
            if names.setdefault(name, tensor.shape[axis]) == tensor.shape[axis]:
                shape[axis] = name
        inputs.append(_describe_tensor(key, tensor, tuple(shape)))
    return tuple(inputs), names


def _describe_tensor(name: str, tensor: torch.Tensor, shape: tuple[int | str, ...]) -> Input:
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.dtype.is_floating_point or tensor.dtype is torch.bool or not tensor.numel():
        return Input(name, dtype, shape)
    return Input(name, dtype, shape, int(tensor.min()), int(tensor.max()) + 1)


def _find_sides(module: nn.Module) -> tuple[int, int] | None:
    holders = (module, getattr(module, "config", None), getattr(module, "patch_embed", None))
    named = [(holder, name) for holder in holders for name in _SIDE_ATTRIBUTES]
    parts = sorted(module.named_modules(), key=lambda pair: pair[0].count("."))
    named += [(part, name) for _, part in parts for name in _SIDES_OF_PARTS]
    for holder, name in named:
        value = getattr(holder, name, None)
        if type(value) is int and _LEAST_SIDE <= value <= _LARGEST_SIDE:
            return value, value
        if isinstance(value, (tuple, list)) and len(value) >= 2:
            height, width = value[-2:]
            if isinstance(height, int) and isinstance(width, int):
                return height, width
    for pair in _SIDE_PAIRS:
        one, other = (vars(module).get(name) for name in pair)
        if type(one) is int and type(other) is int and 1 < min(one, other) <= _LARGEST_SIDE:
            return one, other
    for name in ("default_cfg", "pretrained_cfg"):
        size = getattr(module, name, None)
        size = size.get("input_size") if isinstance(size, Mapping) else None
        if isinstance(size, (tuple, list)) and len(size) == 3:
            return int(size[1]), int(size[2])
    return None
