"""Layers with a size that is no multiple of 8, timed beside the same with the next multiple."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from lintorch.guest.beside.layer_calls import LayerCall, record_calls
from lintorch.guest.timing.rounds import Call, time_in_rounds, warm_up
from lintorch.record.sites import Site
from lintorch.record.timings import SizeCost

_TILE, _SMALLEST, _MOST = 8, 16, 4
"""What sizes are to be multiples of, the smallest that counts, and the layers that are timed."""
_CHANNELS = {nn.Conv1d: 1, nn.Conv2d: 1, nn.Conv3d: 1, nn.Linear: -1}
"""The axis of what a layer takes that its first size is along."""


@dataclass(frozen=True)
class _Uneven:
    """A layer as it was called, and its sizes raised."""

    call: LayerCall
    sizes: tuple[int, int]
    padded: tuple[int, int]

    @property
    def work(self) -> int:
        """In proportion to its multiplications."""
        return int(self.call.outputs[0].numel() * self.call.module.weight[0].numel())


def time_uneven_layers(
    module: nn.Module, arguments: Sequence[Any], built: Mapping[str, Site], seconds: float
) -> Iterator[SizeCost]:
    """The heaviest of them, at most four, within so many seconds in all."""
    calls = record_calls(module, arguments, {})
    found = sorted(_list_uneven(calls), key=lambda each: -each.work)[:_MOST]
    for each in found:
        pair = {"own": _make_call(each, each.sizes), "other": _make_call(each, each.padded)}
        ready = {name: (call, warm_up(call)[1]) for name, call in pair.items()}
        spreads, _ = time_in_rounds(ready, seconds / len(found))
        name, kind = each.call.name, type(each.call.module).__name__
        own, other, site = spreads["own"], spreads["other"], built.get(each.call.name)
        yield SizeCost(name, kind, each.sizes, each.padded, own, other, site)


def _list_uneven(calls: Sequence[LayerCall]) -> Iterator[_Uneven]:
    """Each layer once; small sizes, such as an image's channels, are what they are."""
    seen: set[str] = set()
    for call in calls:
        layer = call.module
        sizes = _find_sizes(layer)
        if sizes is None or call.name in seen or not call.inputs or len(call.outputs) != 1:
            continue
        seen.add(call.name)
        padded = (_raise(sizes[0]), _raise(sizes[1]))
        if padded != sizes:
            yield _Uneven(call, sizes, padded)


def _find_sizes(layer: Any) -> tuple[int, int] | None:
    """Of the layers that torch has, and no class derived from one."""
    if type(layer) is nn.Linear:
        return layer.in_features, layer.out_features
    if type(layer) in _CHANNELS and layer.groups == 1 and layer.padding_mode == "zeros":
        return layer.in_channels, layer.out_channels
    return None


def _raise(size: int) -> int:
    return size if size < _SMALLEST else size + -size % _TILE


def _make_call(each: _Uneven, sizes: tuple[int, int]) -> Call:
    """The layer with these sizes, on random numbers; made anew even for its own, so that both are alike."""
    layer: Any = each.call.module
    given = each.call.inputs[0]
    shape = list(given.shape)
    shape[_CHANNELS[type(layer)] if given.dim() > layer.weight.dim() - 2 else 0] = sizes[0]
    value = torch.randn(shape).to(given.dtype)
    more = {} if isinstance(layer, nn.Linear) else _list_settings(layer)
    made = type(layer)(*sizes, bias=layer.bias is not None, **more)
    made = made.to(layer.weight.dtype).eval()
    return lambda: made(value)


def _list_settings(layer: Any) -> dict[str, Any]:
    names = ("kernel_size", "stride", "padding", "dilation")
    return {name: getattr(layer, name) for name in names}
