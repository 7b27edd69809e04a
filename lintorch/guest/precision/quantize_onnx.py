"""ONNX Runtime's own quantization of an exported file, as its documentation calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from lintorch.guest.export.exporter import ONNX_FILE, Exported, Job, refuse_in_stage
from lintorch.guest.export.exporters.onnx_runtime import list_feeds, load_onnx_file
from lintorch.guest.watch.make_tensors import SEED, make_inputs

_LEAST, _MOST, _NUMBERS = 8, 64, 20_000
"""Batches of random inputs that a static quantization is calibrated on, as many as have so many numbers in all."""


def quantize_exported(
    exported: Exported, job: Job, precision: str, sizes: Mapping[str, int]
) -> Exported:
    """The file in the job's folder, quantized and loaded; `Refused("quantize")`, `Refused("load")`."""
    whole = job.directory / ONNX_FILE
    path = job.directory / f"{precision}.onnx"
    with refuse_in_stage("quantize"):
        if precision == "int8-dynamic":
            _quantize_dynamically(whole, path)
        else:
            _quantize_statically(whole, path, list_feeds(whole, job, _make_batches(job, sizes)))
    made = load_onnx_file(path, job)
    return replace(made, opset=made.opset or exported.opset)


def _make_batches(job: Job, sizes: Mapping[str, int]) -> list[Sequence[Any]]:
    """None of these is compared: ranges that hold for one batch alone would seem to hold for all."""
    each = sum(value.numel() for value in job.example if isinstance(value, torch.Tensor))
    count = min(_MOST, max(_LEAST, _NUMBERS // max(1, each)))
    return [make_inputs(job.inputs, sizes, SEED + 1 + number) for number in range(count)]


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
