"""ONNX Runtime's own quantization of an exported file, as its documentation calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from lintorch.guest.export.exporter import ONNX_FILE, Exported, Job, refuse_in_stage
from lintorch.guest.export.exporters.onnx_runtime import list_feeds, load_onnx_file


def quantize_file(exported: Exported, job: Job) -> Exported:
    """The file in the job's folder, quantized and loaded; `Refused("quantize")`, `Refused("load")`.

    What has no such file, or is to be of no integers, is given back as it is.
    """
    asked = job.quantization
    whole = job.directory / ONNX_FILE
    if asked is None or not whole.is_file():
        return exported
    path = job.directory / f"{asked.kind}.onnx"
    with refuse_in_stage("quantize"):
        if asked.is_dynamic:
            _quantize_dynamically(whole, path)
        else:
            batches = asked.make_batches(job.inputs, job.example)
            _quantize_statically(whole, path, list_feeds(whole, job, batches))
    made = load_onnx_file(path, job)
    return replace(made, opset=made.opset or exported.opset)


def _quantize_dynamically(whole: Path, path: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(whole, path)


def _quantize_statically(whole: Path, path: Path, feeds: Sequence[Mapping[str, Any]]) -> None:
    from onnxruntime.quantization import CalibrationDataReader, quantize_static

    class Reader(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self._left = iter(feeds)

        def get_next(self) -> Mapping[str, Any] | None:
            return next(self._left, None)

    with torch.no_grad():
        quantize_static(whole, path, Reader())
