"""Which weight of the model is which tensor of a file, by names, by layers, else by shapes in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from lintorch.guest.beside.layer_calls import LayerCall
from lintorch.guest.beside.layer_names import find_layer, list_stripped, list_unwrapped
from lintorch.guest.beside.onnx_file import OnnxFile
from lintorch.guest.beside.quantized_tensors import list_quantized
from lintorch.guest.beside.recurrent_weights import read_recurrent

_NORMS = nn.modules.batchnorm._BatchNorm
_SCALED = (nn.modules.conv._ConvNd, nn.Linear)
_NORMALIZING = ("LayerNormalization", "BatchNormalization", "GroupNormalization")
_PRODUCTS = (
    "Conv",
    "ConvTranspose",
    "Gemm",
    "MatMul",
    "ConvInteger",
    "MatMulInteger",
    "QLinearConv",
)
_REAL = (1, 10, 11, 16)
"""The numbers of the types of real numbers in onnx.proto."""
State = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class Folding:
    """A layer and the BatchNorm behind it that the file has as one."""

    layer: str
    norm: str


@dataclass(frozen=True)
class WeightPair:
    """One weight in the file: `value` is laid out as the model's `key`.

    Of a folded one, `key` is the layer's, and its value is that of both layers together.
    """

    key: str
    value: torch.Tensor
    source: str
    folded: Folding | None = None


def list_weight_pairs(
    file: OnnxFile, module: nn.Module, calls: Sequence[LayerCall], foldings: Sequence[Folding]
) -> tuple[WeightPair, ...]:
    """The weights of the model that stand in the file."""
    finder = _PairFinder(file, module, calls, foldings)
    return tuple(finder.find_pairs())


def find_foldings(
    file: OnnxFile, module: nn.Module, calls: Sequence[LayerCall]
) -> tuple[Folding, ...]:
    """The BatchNorm layers that the file holds no statistics of, each with the layer that it follows."""
    kept = {each for name in file.tensors for each in list_stripped(name)}
    names = dict.fromkeys(call.name for call in calls)
    found = []
    for call in calls:
        if not isinstance(call.module, _NORMS) or not call.module.track_running_stats:
            continue
        named = f"{call.name}.running_mean"
        before = calls[call.takes[0]] if call.takes and call.takes[0] >= 0 else None
        if named in kept or before is None or not isinstance(before.module, _SCALED):
            continue
        if not _is_alone(file, call.name, names):
            found.append(Folding(before.name, call.name))
    return tuple(dict.fromkeys(found))


def _is_alone(file: OnnxFile, name: str, names: Collection[str]) -> bool:
    """Whether a layer has a BatchNormalization node of its own."""
    return any(
        node.op_type == "BatchNormalization" and find_layer(node, names) == name
        for node in file.graph.node
    )


class _PairFinder:
    def __init__(
        self,
        file: OnnxFile,
        module: nn.Module,
        calls: Sequence[LayerCall],
        foldings: Sequence[Folding],
    ) -> None:
        self._file = file
        self._own = {
            key: value
            for key, value in module.state_dict().items()
            if isinstance(value, torch.Tensor) and value.is_floating_point()
        }
        self._modules = dict(module.named_modules(remove_duplicate=False))
        self._calls = calls
        self._by_layer = {each.layer: each for each in foldings}
        self._by_norm = {each.norm: each for each in foldings}
        self._restored: dict[str, torch.Tensor] = {}
        self._moved = dict(_list_moved(file))
        self._used: set[str] = set()
        self._found: dict[str, WeightPair] = {}

    def find_pairs(self) -> Iterator[WeightPair]:
        """In an order in which the surer ways come first."""
        for stem, name, value in list_quantized(self._file):
            self._restored[name] = value
            self._pair_by_name(stem, name)
        for name in self._file.tensors:
            self._pair_by_name(name, name)
        for name in self._file.tensors:
            for inner in list_unwrapped(name):
                self._pair_by_name(inner, name)
        for node in self._file.graph.node:
            self._pair_by_layer(node)
        for key, value in read_recurrent(self._file, self._modules, self._own):
            if key not in self._found:
                self._add(key, value, key, None)
        self._pair_by_shape()
        for call in self._calls:
            self._pair_rows(call)
        return iter(self._found.values())

    def _pair_by_name(self, called: str, name: str) -> None:
        key = _find_key(called, self._own)
        if key is None or key in self._found or name in self._used:
            return
        if self._list_dims(name) == tuple(self._own[key].shape):
            value = self._read(name)
            if value.is_floating_point():
                self._add(key, value, name, self._by_layer.get(key.rpartition(".")[0]))

    def _is_held(self, name: str) -> bool:
        return name in self._restored or name in self._file.tensors

    def _list_dims(self, name: str) -> tuple[int, ...]:
        restored = self._restored.get(name)
        return tuple(self._file.tensors[name].dims if restored is None else restored.shape)

    def _read(self, name: str) -> torch.Tensor:
        restored = self._restored.get(name)
        return self._file.read_tensor(name) if restored is None else restored

    def _pair_by_layer(self, node: Any) -> None:
        """The weight and bias of a Conv, Gemm or MatMul whose scope is a layer, or its folded norm."""
        kind, given = node.op_type, list(node.input)
        if kind in _NORMALIZING:
            self._pair_norm(node)
        if kind not in (*_PRODUCTS, "Add"):
            return
        layer = find_layer(node, self._modules)
        folding = self._by_norm.get(layer) or self._by_layer.get(layer)
        layer = folding.layer if folding else layer
        if not isinstance(self._modules.get(layer), _SCALED):
            return
        sources = (self._moved.get(name, name) for name in given)
        names = [name for name in sources if self._is_held(name)]
        for name in names:
            value = self._read(name)
            if not value.is_floating_point():
                continue
            weight, bias = f"{layer}.weight", f"{layer}.bias"
            if value.dim() == 2 and (kind.startswith("MatMul") or _is_turned(node)):
                value = value.t()
            if value.dim() > 1 and weight in self._own and kind != "Add":
                if weight not in self._found and value.shape == self._own[weight].shape:
                    self._add(weight, value, name, folding)
            elif value.dim() > 1 and kind != "Add" and folding is None:
                self._pair_normed(layer, value, name)
            elif value.dim() == 1 and bias not in self._found:
                wanted = self._own.get(weight)
                fits = folding or (bias in self._own and value.shape == self._own[bias].shape)
                if wanted is not None and fits:
                    self._add(bias, value, name, folding)

    def _pair_normed(self, layer: str, value: torch.Tensor, name: str) -> None:
        """The length and the direction that weight_norm keeps of a weight, which an exporter computes."""
        for length, direction in _NORMED:
            gain, whole = f"{layer}.{length}", f"{layer}.{direction}"
            own, size = self._own.get(whole), self._own.get(gain)
            if own is None or size is None or value.shape != own.shape or gain in self._found:
                continue
            axes = [
                axis for axis in range(own.dim()) if size.dim() <= axis or size.shape[axis] == 1
            ]
            norm = value.norm(dim=axes, keepdim=True)
            scale = own.detach().norm(dim=axes, keepdim=True) / norm.clamp_min(1e-30)
            if norm.numel() == size.numel():
                self._add(gain, norm.reshape(size.shape), name, None)
                self._add(whole, value * scale, name, None)

    def _pair_norm(self, node: Any) -> None:
        """Scale, shift and statistics of a layer that normalizes, which stand in this order."""
        layer = find_layer(node, self._modules)
        for name, ending in zip(list(node.input)[1:], _STATISTICS, strict=False):
            key = f"{layer}.{ending}"
            if key in self._own and key not in self._found and self._is_held(name):
                value = self._read(name)
                if value.shape == self._own[key].shape:
                    self._add(key, value, name, None)

    def _pair_by_shape(self) -> None:
        """What is left on both sides, where as many of a shape are left and all have an order."""
        ours, theirs = defaultdict[object, list[str]](list), defaultdict[object, list[str]](list)
        skipped = {f"{norm}.{n}" for norm in self._by_norm for n in _STATISTICS}
        for key in self._list_called_keys():
            if key not in self._found and key not in skipped:
                ours[_shape_key(self._own[key].shape)].append(key)
        for name in (*self._file.tensors, *self._restored):
            number = name in self._restored or self._file.tensors[name].data_type in _REAL
            if name not in self._used and number and (dims := self._list_dims(name)):
                theirs[_shape_key(dims)].append(name)
        for shape, keys in ours.items():
            if len(keys) != len(theirs[shape]):
                continue
            for key, name in zip(keys, self._sort_by_use(theirs[shape]), strict=True):
                value, own = self._read(name), self._own[key]
                if value.shape != own.shape or self._is_matrix_product(name):
                    value = value.t() if value.dim() == 2 else value
                if value.shape == own.shape:
                    self._add(key, value, name, None)

    def _pair_rows(self, call: LayerCall) -> None:
        """The rows of a table that a constant takes, which an exporter computes: positions, mostly."""
        key = f"{call.name}.weight"
        if not isinstance(call.module, nn.Embedding) or key in self._found or not call.inputs:
            return
        own, taken = self._own[key], call.inputs[0]
        shape = _drop_ones((*taken.shape, own.shape[1]))
        fitting = [
            name
            for name, tensor in self._file.tensors.items()
            if name not in self._used
            and tensor.data_type in _REAL
            and _drop_ones(self._list_dims(name)) == shape
        ]
        if len(fitting) == 1:
            value = own.detach().clone()
            rows = self._read(fitting[0]).to(value.dtype).reshape(-1, value.shape[1])
            value[taken.reshape(-1)] = rows
            self._add(key, value, fitting[0], None)

    def _list_called_keys(self) -> list[str]:
        """Keys in the order in which their layers begin to be called; the model's own order for others."""
        places: dict[str, int] = {}
        for number, call in enumerate(self._calls):
            places.setdefault(call.name, number)
        last = len(places)
        return sorted(self._own, key=lambda key: places.get(key.rpartition(".")[0], last))

    def _sort_by_use(self, names: list[str]) -> list[str]:
        order: dict[str, int] = {}
        for number, node in enumerate(self._file.graph.node):
            for name in node.input:
                order.setdefault(name, number)
        return sorted(names, key=lambda name: order.get(name, 0))

    def _is_matrix_product(self, name: str) -> bool:
        return any(
            node.op_type in ("MatMul", "MatMulInteger")
            and len(node.input) > 1
            and node.input[1] == name
            for node in self._file.graph.node
        )

    def _add(self, key: str, value: torch.Tensor, name: str, folding: Folding | None) -> None:
        self._used.add(name)
        self._found[key] = WeightPair(key, value, name, folding)


_NORMED = (
    ("weight_g", "weight_v"),
    ("parametrizations.weight.original0", "parametrizations.weight.original1"),
)
"""What torch.nn.utils.weight_norm keeps, and torch.nn.utils.parametrizations.weight_norm."""
_STATISTICS = ("weight", "bias", "running_mean", "running_var")


def _list_moved(file: OnnxFile) -> Iterator[tuple[str, str]]:
    """What is a tensor of the file in another shape, and that tensor: biases beside a ConvInteger."""
    for node in file.graph.node:
        if node.op_type in ("Reshape", "Unsqueeze", "Identity") and node.input[0] in file.tensors:
            yield node.output[0], node.input[0]


def _shape_key(shape: Iterable[int]) -> tuple[int, ...]:
    """Of a matrix and what it is turned, the same."""
    sizes = tuple(shape)
    return tuple(sorted(sizes)) if len(sizes) == 2 else sizes


def _drop_ones(shape: Iterable[int]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def _is_turned(node: Any) -> bool:
    """Whether a Gemm takes its weight as it is stored in no nn.Linear."""
    attributes = node.attribute
    turned = any(a.name == "transB" and a.i for a in attributes)
    return node.op_type == "Gemm" and not turned


def _find_key(name: str, own: State) -> str | None:
    """The key that an initializer is called by, with or without what a wrapper puts before it."""
    for stripped in list_stripped(name):
        if stripped in own:
            return stripped
    if "." not in name:
        return None
    ends = [key for key in own if name.endswith(f".{key}") or key.endswith(f".{name}")]
    return ends[0] if len(ends) == 1 else None
