"""Layers that the file lacks, and functions that it calls in another way: each is tried in the model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.causes.try_changed import agrees_when, put_layer
from lintorch.guest.beside.onnx_file import OnnxFile
from lintorch.guest.beside.pair_layers import Parting
from lintorch.record.file_comparisons import Cause

_MOST = 12
_SPATIAL = {3: "linear", 4: "bilinear", 5: "trilinear"}
_FUNCTIONS: Mapping[str, tuple[str, Callable[..., torch.Tensor]]] = {
    "relu": ("Relu", F.relu),
    "sigmoid": ("Sigmoid", torch.sigmoid),
    "tanh": ("Tanh", torch.tanh),
    "gelu": ("Erf", F.gelu),
    "silu": ("Sigmoid", F.silu),
    "hardswish": ("HardSwish", F.hardswish),
    "hardsigmoid": ("HardSigmoid", F.hardsigmoid),
    "elu": ("Elu", F.elu),
    "leaky_relu": ("LeakyRelu", F.leaky_relu),
    "softplus": ("Softplus", F.softplus),
}
"""By name, the operator of the file that tells that it may be there."""
_REMEDY = (
    "export again with the code as it is now, or give the model what the file was exported with"
)
Replace = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


class _Instead(TorchFunctionMode):  # type: ignore[misc]
    """Calls something else where the code of the model, and no layer of torch, calls a function."""

    def __init__(self, name: str, replace: Replace) -> None:
        super().__init__()
        self._name, self._replace = name, replace

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        caller = sys._getframe(1).f_code.co_filename.replace("\\", "/")
        if getattr(function, "__name__", "") == self._name and "/torch/nn/" not in caller:
            return self._replace(function, args, kwargs or {})
        return function(*args, **(kwargs or {}))


def find_left_out(case: Case, parting: Parting) -> Iterator[Cause]:
    """A layer, or a block of them, without which the model agrees with the file."""
    layers = dict(case.module.named_modules())
    for name in list_between(layers, parting)[:_MOST]:
        if agrees_when(case, lambda model, name=name: put_layer(model, name, nn.Identity())):  # type: ignore[misc]
            text = f"{name} ({type(layers[name]).__name__}) is left out in the file"
            proof = "the model without it agrees with the file"
            site = parting.first.built if parting.first and parting.first.name == name else None
            yield Cause("missing-layer", text, proof, _REMEDY, site=site)
            return


def list_between(layers: Mapping[str, nn.Module], parting: Parting) -> list[str]:
    """From the last layer that agrees to the first that does not, and what holds that one; larger ones first."""
    first = parting.first.name if parting.first else ""
    names = [name for name in layers if name]
    if first not in names:
        return []
    last = parting.last.name if parting.last else ""
    begin = names.index(last) + 1 if last in names else 0
    between = names[begin : names.index(first) + 1]
    holders = [first.rsplit(".", n)[0] for n in range(first.count("."), 0, -1)]
    held = [each for each in holders if each in layers]
    return sorted(dict.fromkeys([*held, *between]), key=lambda each: each.count("."))


def find_other_padding(case: Case, parting: Parting) -> Iterator[Cause]:
    """A convolution whose border the file fills otherwise."""
    layers = dict(case.module.named_modules())
    modes = dict.fromkeys(["zeros", *_list_paddings(case.file)])
    tried = [
        (name, layer, mode)
        for name in list_between(layers, parting)
        if isinstance(layer := layers[name], nn.modules.conv._ConvNd) and any(_pads(layer))
        for mode in modes
        if mode != layer.padding_mode
    ]
    for name, layer, mode in tried[:_MOST]:
        if agrees_when(case, lambda model, name=name, mode=mode: _pad_so(model, name, mode)):  # type: ignore[misc]
            text = f"{name} has padding_mode {mode!r} in the file, and {layer.padding_mode!r} in the model"
            proof = f"the model with {name} so changed agrees with the file"
            yield Cause("setting", text, proof, _REMEDY)
            return


def _list_paddings(file: OnnxFile) -> Iterator[str]:
    called = {"reflect": "reflect", "edge": "replicate", "wrap": "circular"}
    for node in file.graph.node:
        mode = next((each.s.decode() for each in node.attribute if each.name == "mode"), "")
        if node.op_type == "Pad" and mode in called:
            yield called[mode]


def _pads(layer: nn.modules.conv._ConvNd) -> tuple[int, ...]:
    return layer.padding if isinstance(layer.padding, tuple) else ()


def _pad_so(model: nn.Module, name: str, mode: str) -> None:
    layer: Any = model.get_submodule(name)
    layer.padding_mode = mode
    layer._reversed_padding_repeated_twice = [n for n in reversed(_pads(layer)) for _ in range(2)]


def find_other_calls(case: Case, parting: Parting) -> Iterator[Cause]:
    """A function that the code of the model calls, where another one, or other arguments, agree with the file."""
    if parting.first is None:
        return
    seen = _list_called(case)
    for name, what, replace in [*_list_replacements(case.file, seen)][:_MOST]:
        if agrees_when(case, lambda model: None, _Instead(name, replace)):
            text = f"the file has {what}, and the model calls {name}{seen[name]}"
            proof = "the model with these calls so changed agrees with the file"
            yield Cause("setting", text, proof, _REMEDY, site=parting.between)
            return


def _list_called(case: Case) -> dict[str, str]:
    """Names of functions that the model's own code calls, with the arguments that decide on a resize."""
    seen: dict[str, str] = {}
    for name in ("interpolate", *_FUNCTIONS):

        def note(function: Any, args: Any, kwargs: Any, name: str = name) -> Any:
            words = ("mode", "align_corners")
            said = ", ".join(f"{each}={kwargs[each]!r}" for each in words if each in kwargs)
            seen.setdefault(name, f"({said})" if name == "interpolate" else "")
            return function(*args, **kwargs)

        agrees_when(case, lambda model: None, _Instead(name, note))
    return seen


def _list_replacements(
    file: OnnxFile, seen: Mapping[str, str]
) -> Iterator[tuple[str, str, Replace]]:
    if "interpolate" in seen:
        for mode, corners in _list_resizes(file):
            what = f"Resize of mode {mode}" + (", align_corners" if corners else "")
            yield "interpolate", what, _resize_so(mode, corners)
    there = {node.op_type for node in file.graph.node}
    for name in seen.keys() & _FUNCTIONS.keys():
        for other, (operator, call) in _FUNCTIONS.items():
            if other != name and operator in there:
                yield name, other, lambda function, args, kwargs, call=call: call(args[0])  # type: ignore[misc]


def _list_resizes(file: OnnxFile) -> list[tuple[str, bool]]:
    found = []
    for node in file.graph.node:
        if node.op_type in ("Resize", "Upsample"):
            said = {
                each.name: each.s.decode("utf-8", "replace") for each in node.attribute if each.s
            }
            corners = said.get("coordinate_transformation_mode") == "align_corners"
            found.append((said.get("mode", "nearest"), corners))
    return list(dict.fromkeys(found))


def _resize_so(mode: str, corners: bool) -> Replace:
    def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        image = args[0] if args else kwargs["input"]
        called = {"nearest": "nearest", "cubic": "bicubic"}.get(mode) or _SPATIAL[image.dim()]
        asked = {"mode": called, "align_corners": None if mode == "nearest" else corners}
        kept = dict(zip(("size", "scale_factor"), args[1:3], strict=False))
        return function(
            image, **{**kept, **{k: v for k, v in kwargs.items() if k != "input"}, **asked}
        )

    return call
