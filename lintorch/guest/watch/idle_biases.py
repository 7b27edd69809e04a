"""Layers with a bias, and whether all that they put out went straight into a norm that takes it away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import ReferenceType, ref

import torch
from torch import nn

from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.running_layers import LayerWatch, class_name
from lintorch.record.events import NormedBias
from lintorch.record.sites import Shape, Site

_MAKES = frozenset(("conv1d", "conv2d", "conv3d", "linear")) | frozenset(
    f"conv_transpose{n}d" for n in (1, 2, 3)
)
_NORMS = frozenset(("batch_norm", "instance_norm"))
_KINDS = (nn.Linear, nn.modules.conv._ConvNd)


@dataclass
class _Layer:
    """What is known of one layer: how often it ran, how often a norm took what it gave, what else did."""

    path: str
    kind: str
    site: Site
    ran: int = 0
    normed: int = 0
    norm: str = ""
    other: str = ""
    shape: Shape = ()


class BiasWatch:
    """Follows what layers with a bias put out through one run."""

    def __init__(self, root: nn.Module, sites: Mapping[str, Site], layers: LayerWatch) -> None:
        self._layers = layers
        self._biased = {
            path: _Layer(path, class_name(module).rpartition(".")[2], site)
            for path, module in root.named_modules()
            if isinstance(module, _KINDS) and module.bias is not None and (site := sites.get(path))
        }
        self._made: dict[int, tuple[ReferenceType[torch.Tensor], _Layer]] = {}

    def follow_operator(
        self, name: str, args: Sequence[Any], tensors: Sequence[torch.Tensor], out: Any
    ) -> None:
        """Take note of one operator."""
        short = name.rpartition(".")[2]
        for tensor in tensors if self._made else ():
            if layer := self._layer(tensor):
                self._taken(layer, short, tensor, tensor is tensors[0])
        if short in _MAKES and isinstance(out, torch.Tensor):
            layer = self._biased.get(self._layers.current_layer().layer)
            if layer is not None:
                layer.ran, layer.shape = layer.ran + 1, tuple(out.shape)
                if layer.ran > 1 and layer.normed < layer.ran - 1:
                    layer.other = layer.other or "nothing"
                self._made[id(out)] = ref(out), layer

    def list_events(self, output: Any) -> Iterator[NormedBias]:
        """One event per line that made such layers which ran."""
        for tensor in make_tensors.flatten_output(output):
            if layer := self._layer(tensor):
                layer.other = "the model's output"
        lines: dict[Site, list[_Layer]] = defaultdict(list)
        for layer in self._biased.values():
            lines[layer.site].append(layer)
        for site, made in lines.items():
            if ran := [layer for layer in made if layer.ran]:
                kept = [layer for layer in ran if layer.other or layer.normed != layer.ran]
                yield _event(site, (kept or ran)[0], not kept, len(ran) == len(made))

    def _layer(self, tensor: torch.Tensor) -> _Layer | None:
        """The layer that put out this very tensor."""
        found = self._made.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None

    def _taken(self, layer: _Layer, short: str, tensor: torch.Tensor, first: bool) -> None:
        if short == "__get__":
            return  # its shape, type or device
        if short in _NORMS and first and _is_of_channels(layer, short, tensor.dim()):
            layer.normed += 1
            layer.norm = self._layers.current_layer().layer_class.rpartition(".")[2]
        else:
            layer.other = layer.other or short


def _is_of_channels(layer: _Layer, short: str, dims: int) -> bool:
    """Whether the norm takes the mean of each channel as the layer counts them."""
    if layer.kind == "Linear":
        return short == "batch_norm" and dims == 2
    return layer.kind.endswith("d") and f"{dims - 2}d" == layer.kind[-2:]


def _event(site: Site, layer: _Layer, normed: bool, whole: bool) -> NormedBias:
    return NormedBias(
        site,
        layer.path,
        built=site,
        normed=normed,
        kind=layer.kind,
        norm=layer.norm,
        other=layer.other,
        whole=whole,
        shape=layer.shape,
    )
