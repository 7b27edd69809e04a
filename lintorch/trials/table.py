"""The exporters that a model can be tried with."""

from __future__ import annotations

from lintorch.trials import (
    onnx_dynamo,
    onnx_legacy,
    torch_export,
    torchscript_script,
    torchscript_trace,
)
from lintorch.trials.exporter import Exporter

TABLE: dict[str, Exporter] = {
    "torch.export": torch_export,
    "onnx": onnx_dynamo,
    "onnx-legacy": onnx_legacy,
    "torchscript-trace": torchscript_trace,
    "torchscript-script": torchscript_script,
}
