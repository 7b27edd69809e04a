"""From which opset on the ONNX exporters of torch write an operator of PyTorch."""

from __future__ import annotations

from lintorch.targets.written_operators import find_first_opset

_SPELLINGS = ("torch.nn.functional.{}", "torch.{}", "torch.Tensor.{}", "torch.fft.{}")
_EXPORTERS = {"onnx-legacy": "the legacy exporter (dynamo=False)", "onnx": "dynamo=True"}
_WRITTEN_AS = {
    "grid_sampler": "grid_sample",
    "upsample_bicubic2d": "interpolate",
    "affine_grid_generator": "affine_grid",
    "im2col": "unfold",
    "col2im": "fold",
}
"""What the exporter calls an operator, by the function that people call."""


def describe_exporters(name: str) -> str:
    """A clause about an operator as a message names it; "" where the tables do not have it."""
    bare = _strip(name)
    firsts = {exporter: _find_first(bare, exporter) for exporter in _EXPORTERS}
    told = [f"{_EXPORTERS[key]} writes it from opset {n} on" for key, n in firsts.items() if n]
    return f"{bare}: {'; '.join(told)}, as measured with torch 2.13" if told else ""


def is_written_at(name: str, opset: int) -> bool:
    """Whether the legacy exporter of the newest torch writes an operator at this opset."""
    return 0 < _find_first(_strip(name), "onnx-legacy") <= opset


def _strip(name: str) -> str:
    bare = name.removeprefix("aten::").removeprefix("aten.").partition(".")[0].rstrip("_")
    return _WRITTEN_AS.get(bare, bare)


def _find_first(bare: str, exporter: str) -> int:
    """0 where the exporter writes it at no opset."""
    spelled = (pattern.format(bare) for pattern in _SPELLINGS)
    return min(
        (first for name in spelled if (first := find_first_opset(name, exporter))), default=0
    )
