"""Weights that a file keeps as integers with a scale, as the numbers that they stand for."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from lintorch.guest.beside.onnx_file import OnnxFile

QUANTIZED = frozenset(
    {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger", "ConvInteger",
     "QLinearConv", "QLinearMatMul", "QGemm", "MatMulNBits", "DynamicQuantizeMatMul",
     "MatMulIntegerToFloat", "QAttention", "DynamicQuantizeLSTM"}
)  # fmt: skip
_ENDINGS = (("_quantized", "_scale", "_zero_point"), ("_DQ_Q", "_scale", "_zero_point"))
"""How onnxruntime.quantization calls what it makes of a weight, its scale and its zero."""


def list_quantized(file: OnnxFile) -> Iterator[tuple[str, str, torch.Tensor]]:
    """The name that each weight had, that under which nodes take it, and its numbers."""
    for name in file.tensors:
        for whole, scale, zero in _ENDINGS:
            stem = name.removesuffix(whole)
            if stem != name and stem + scale in file.tensors:
                yield stem, name, _restore_numbers(file, name, stem + scale, stem + zero)
    for node in file.graph.node:
        if node.op_type == "DequantizeLinear" and len(node.input) > 1 and node.output:
            held = [name for name in node.input if name]
            if all(name in file.tensors for name in held):
                zero, given = held[2] if len(held) > 2 else "", node.output[0]
                stem = given.removesuffix("_DequantizeLinear_Output")
                yield stem, given, _restore_numbers(file, held[0], held[1], zero)


def _restore_numbers(file: OnnxFile, name: str, scale: str, zero: str) -> torch.Tensor:
    """The scale holds for all, or for each row of the first axis that is as long."""
    whole = file.read_tensor(name).to(torch.float32)
    step = file.read_tensor(scale).to(torch.float32).reshape(-1)
    shift = (
        file.read_tensor(zero).to(torch.float32).reshape(-1)
        if zero in file.tensors
        else torch.zeros(1)
    )
    axis = next((a for a, size in enumerate(whole.shape) if size == step.numel()), 0)
    if step.numel() > 1:
        shape = [1] * whole.dim()
        shape[axis] = -1
        step = step.reshape(shape)
        shift = shift.reshape(shape) if shift.numel() > 1 else shift
    return (whole - shift) * step
