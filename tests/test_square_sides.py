"""The side of a square of places, worked out so that each exporter follows it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from running import lintorch

TRACED = "torch.as_tensor(n).double().sqrt().long() if torch.jit.is_tracing() else "
SYMBOLIC = "torch.sym_int(n ** 0.5)"
TEXT = """import math

import torch
from torch import nn


class Places(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        x = self.conv(x).flatten(2).transpose(1, 2)
        b, n, c = x.shape
        side = {side}
        return x.transpose(1, 2).reshape(b, c, side, side)
"""


@pytest.mark.parametrize("side", ["int(math.sqrt(n))", "int(n ** 0.5)"])
@pytest.mark.parametrize(
    ("exporters", "written"),
    [
        ('"torch.export", "onnx"', SYMBOLIC),
        ('"onnx-legacy", "torch.export"', TRACED + SYMBOLIC),
        ('"onnx-legacy"', f"{TRACED}{{side}}"),
        ('"onnx-legacy", "onnx", "torchscript-script"', f"{TRACED}{{side}}"),
    ],
)
def test_a_side_is_written_for_those_who_follow_it(
    side: str, exporters: str, written: str, tmp_path: Path
) -> None:
    path = tmp_path / "net.py"
    path.write_text(TEXT.format(side=side))
    asked = ("--config", f"exporters = [{exporters}]", "--select", "LT119")
    lintorch("check", str(path), *asked, "--fix", "--unsafe-fixes", cwd=tmp_path)
    told = path.read_text()
    assert f"        side = {written.format(side=side)}\n" in told
    lintorch("check", str(path), *asked, "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert path.read_text() == told


@pytest.mark.parametrize("count", [16, 48, 49, 50, 4096, 2**40 - 1])
def test_a_side_is_what_it_was(count: int) -> None:
    assert torch.sym_int(count**0.5) == int(count**0.5)
