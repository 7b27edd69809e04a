"""Rows that an `index_add` sends to one place: the legacy exporter keeps one, and all of a `scatter_add`."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxruntime")

from test_onnx_rewrites import build, is_close, mend, run_written  # noqa: E402

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 1)

    def forward(self, x):
        x = self.conv(x)
        index = torch.div(torch.arange(x.size(1)), 2, rounding_mode="floor")
        rows, lines = x.transpose(0, 1), x.transpose(1, 2)
        return {}
"""
ADDED = {
    "x.new_zeros(x.size(0), 3, x.size(2)).index_add(1, index, x)": "scatter_add(1, index[:, None].expand_as(x), x)",
    "x.new_zeros(x.size(0), 3, x.size(2)).index_add_(-2, index % 2, x)": "scatter_add_(1, (index % 2)[:, None].expand_as(x), x)",
    "torch.index_add(rows.new_zeros(2, *rows.shape[1:]), 0, index, rows)": "torch.scatter_add(rows.new_zeros(2, *rows.shape[1:]), 0, index[:, None, None].expand_as(rows), rows)",
    "torch.zeros_like(lines[..., :2]).index_add_(-1, index, lines)": "scatter_add_(2, index.expand_as(lines), lines)",
}  # fmt: skip
LEFT = (
    "x.new_zeros(x.size(0), 3, x.size(2)).index_add(1, index, x, alpha=2)",
    "x.new_zeros(x.size(0), 3, x.size(2)).index_add(1, index, x * 2)",
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("called", "put_in"), ADDED.items())
def test_all_rows_of_one_place_are_added(called: str, put_in: str, tmp_path: Path) -> None:
    text = NET.format(called)
    mended = mend(text, "onnx-legacy", opset=17)
    assert f"{put_in}\n" in mended
    x = torch.rand(2, 4, 9)
    expected = build(text)(x)
    assert torch.equal(build(mended)(x), expected)
    assert is_close(run_written(build(mended), x, tmp_path), expected)


@pytest.mark.parametrize("called", LEFT)
def test_scaled_rows_and_rows_that_no_name_holds_stay(called: str) -> None:
    text = NET.format(called)
    assert mend(text, "onnx-legacy", opset=17) == text


def test_nothing_is_put_in_for_an_opset_that_adds_nothing() -> None:
    text = NET.format(next(iter(ADDED)))
    assert mend(text, "onnx-legacy", opset=15) == text
