"""The file computes with fewer bits: float16, bfloat16, or integers of eight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.causes.saturated_sums import find_saturated
from lintorch.guest.beside.distances import measure_distance
from lintorch.guest.beside.onnx_file import OnnxFile
from lintorch.guest.beside.quantized_tensors import QUANTIZED
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.watch.make_tensors import flatten_output
from lintorch.record.file_comparisons import Cause, LayerNumbers

_TIMES = 8.0
"""How many times what rounding does in the model may be found in the file: runtimes round elsewhere too."""
_ROUNDED = (nn.modules.conv._ConvNd, nn.Linear, nn.RNNBase, nn.MultiheadAttention, nn.Embedding)
Round = Callable[[torch.Tensor], torch.Tensor]


def find_precision(case: Case, path: Sequence[LayerNumbers]) -> Iterator[Cause]:
    """Where the file has such a type, and the model with its layers rounded to it is as far off."""
    kind = name_precision(case.file)
    if not kind:
        return
    given = case.run_file()
    found = measure_distance(case.expected, given)
    arguments = case.arrange(case.list_tensors())
    rounded = round_layers(case.module, arguments, case.extra, kind)
    usual = measure_distance(case.expected, rounded)
    if found.amount is None or usual.amount is None:
        return
    most = _find_steepest(path)
    if found.amount > _TIMES * usual.amount:
        if kind == "int8" and (node := find_saturated(case)):
            yield _tell_saturated(node, most)
        return
    where = f"; the error grows most in {most.name} ({most.kind})" if most else ""
    yield Cause(
        "precision",
        f"the file computes in {_WORDS[kind]}{where}",
        f"the file is off by {found.amount:.3g}, the model with its layers rounded so by {usual.amount:.3g}",
        _REMEDIES[kind],
        site=most.built if most else None,
    )


def name_precision(file: OnnxFile) -> str:
    """`float16`, `bfloat16`, `int8` or ""."""
    if file.operators & QUANTIZED:
        return "int8"
    types = {tensor.data_type for tensor in file.tensors.values()}
    types |= {_read_cast(node) for node in file.walk_nodes() if node.op_type == "Cast"}
    return "bfloat16" if 16 in types else "float16" if 10 in types else ""


def _tell_saturated(node: str, most: LayerNumbers | None) -> Cause:
    return Cause(
        "precision",
        "the file is quantized to integers of 8 bits, and their sums overflow on this processor: "
        "without VNNI instructions two products are added in 16 bits",
        f"what {node} gives is not the product of the integers that it takes",
        "quantize with reduce_range=True, or with weights of type QUInt8",
        site=most.built if most else None,
    )


def _read_cast(node: Any) -> int:
    return next((int(a.i) for a in node.attribute if a.name == "to"), 0)


def round_layers(
    module: nn.Module, arguments: Sequence[Any], keywords: Mapping[str, Any], kind: str
) -> list[torch.Tensor]:
    """What a model gives whose weights, and what its layers take and give, are rounded.

    `kind` is a name that `name_precision` gives. Raises what the model raises.
    """
    rounding, quantized = _ROUNDINGS[kind], kind == "int8"

    def enter(part: nn.Module, args: Any) -> Any:
        return tuple(_round_value(arg, rounding) for arg in args)

    def leave(part: nn.Module, args: Any, out: Any) -> Any:
        return _round_value(out, rounding)

    with copy_module(module) as copied, torch.no_grad():
        for part in copied.modules():
            if quantized and not isinstance(part, _ROUNDED):
                continue
            if not list(part.children()) or isinstance(part, _ROUNDED):
                for value in part.parameters(recurse=False):
                    value.copy_(_round_value(value, rounding))
                part.register_forward_pre_hook(enter)
                if not quantized:
                    part.register_forward_hook(leave)
        return flatten_output(copied(*arguments, **keywords))


def _round_value(value: Any, rounding: Round) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return rounding(value)
    return value


def _round_to_eight_bits(value: torch.Tensor) -> torch.Tensor:
    low, high = min(0.0, float(value.min())), max(0.0, float(value.max()))
    step = (high - low) / 255 or 1.0
    return (value / step).round() * step


def _find_steepest(path: Sequence[LayerNumbers]) -> LayerNumbers | None:
    """The layer at which the relative error grows most."""
    best, most, before = None, 0.0, 0.0
    for layer in path:
        now = layer.distance.relative or 0.0
        if now - before > most:
            best, most = layer, now - before
        before = now
    return best


_ROUNDINGS: dict[str, Round] = {
    "float16": lambda value: value.half().to(value.dtype),
    "bfloat16": lambda value: value.bfloat16().to(value.dtype),
    "int8": _round_to_eight_bits,
}
_WORDS = {
    "float16": "float16",
    "bfloat16": "bfloat16",
    "int8": "integers of 8 bits (it is quantized)",
}
_REMEDIES = {
    "float16": "export in float32, or keep layers with large numbers out of the conversion (op_block_list, node_block_list)",
    "bfloat16": "export in float32, or in float16",
    "int8": "leave the layer where the error grows most out of the quantization (nodes_to_exclude), or calibrate with data of yours",
}
