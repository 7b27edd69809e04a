"""The exporters that a model can be tried with."""

from __future__ import annotations

from lintorch.guest.export.exporter import Exporter
from lintorch.guest.export.exporters import (
    ncnn_pnnx,
    onnx_dynamo,
    onnx_legacy,
    openvino_ir,
    torch_export,
    torchscript_script,
    torchscript_trace,
)

EXPORTER_TABLE: dict[str, Exporter] = {
    "torch.export": torch_export,
    "onnx": onnx_dynamo,
    "onnx-legacy": onnx_legacy,
    "torchscript-trace": torchscript_trace,
    "torchscript-script": torchscript_script,
    "openvino": openvino_ir,
    "ncnn": ncnn_pnnx,
}
