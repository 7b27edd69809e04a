"""Weights of recurrent layers: ONNX keeps all gates of a direction in one tensor, in another order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

from lintorch.guest.beside.layer_names import find_layer
from lintorch.guest.beside.onnx_file import OnnxFile

_ORDERS = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}
"""Which gate of ONNX is each of torch's: ONNX has i o f c and z r h, torch i f g o and r z n."""


def read_recurrent(
    file: OnnxFile, modules: Mapping[str, nn.Module], own: Mapping[str, torch.Tensor]
) -> Iterator[tuple[str, torch.Tensor]]:
    """By key of the state_dict, the numbers in the file's LSTM, GRU and RNN nodes."""
    nodes = defaultdict[str, list[Any]](list)
    for node in file.graph.node:
        if node.op_type in _ORDERS:
            nodes[find_layer(node, modules)].append(node)
    layers = [name for name, part in modules.items() if isinstance(part, nn.RNNBase)]
    if len(nodes) == 1 == len(layers):
        nodes = defaultdict(list, {layers[0]: next(iter(nodes.values()))})
    for name in layers:
        for level, node in enumerate(nodes[name]):
            yield from _read_node(file, node, f"{name}." if name else "", level, own)


def _read_node(
    file: OnnxFile, node: Any, prefix: str, level: int, own: Mapping[str, torch.Tensor]
) -> Iterator[tuple[str, torch.Tensor]]:
    names = list(node.input)[1:4]
    if any(name and name not in file.tensors for name in names):
        return
    read = [file.read_tensor(name) if name else None for name in names]
    order = _ORDERS[node.op_type]
    for kind, tensor in zip(("ih", "hh"), read, strict=False):
        for direction, ending in enumerate(("", "_reverse")):
            key = f"{prefix}weight_{kind}_l{level}{ending}"
            if tensor is not None and key in own and direction < tensor.shape[0]:
                yield key, _reorder_gates(tensor[direction], order)
    if len(read) == 3 and read[2] is not None:
        for direction, ending in enumerate(("", "_reverse")):
            for kind, half in zip(("ih", "hh"), read[2].chunk(2, dim=1), strict=True):
                key = f"{prefix}bias_{kind}_l{level}{ending}"
                if key in own and direction < half.shape[0]:
                    yield key, _reorder_gates(half[direction], order)


def _reorder_gates(tensor: torch.Tensor, order: tuple[int, ...]) -> torch.Tensor:
    parts = tensor.chunk(len(order))
    return torch.cat([parts[gate] for gate in order])
