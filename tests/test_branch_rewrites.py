"""Branches between layers without weights, rewritten: the same in eager mode, and exported at every size."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from test_rewrites import SIZES, build, is_close, is_right_at_every_size, mend  # noqa: E402

HEAD = """import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.relu = nn.ReLU()
        self.soft = nn.Softmax(1)
        self.wild = nn.ReLU(inplace=True)
        self.top = nn.MaxPool2d(2)
        self.mean = nn.AvgPool2d(2)
        self.wide = nn.AvgPool2d(3)
        self.drop = nn.Dropout(0.5)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, image):
        x = self.conv(image)
"""
CALM = [
    "if x.sum() > 0:|    x = self.relu(x)|return x",
    "if x.mean() > 0:|    y = self.relu(x) * 2|else:|    y = self.soft(x)|return y",
    "return self.top(x) if x.max() > 1 else self.mean(x)",
    "if x.max() > 1:|    return self.top(x + 1)|return F.avg_pool2d(x, 2)",
]
WILD = [
    "if x.sum() > 0:|    x = self.wild(x)|return x",
    "if x.sum() > 0:|    x = F.relu(x, inplace=True)|return x",
    "if x.sum() > 0:|    x = self.drop(x)|return x",
    "if x.sum() > 0:|    x = self.norm(x)|return x",
    "if x.sum() > 0:|    x = self.top(x)|return x",
    "return self.top(x) if x.max() > 1 else self.wide(x)",
]


def write_model(body: str) -> str:
    return HEAD + "".join(f"        {line}\n" for line in body.split("|"))


@pytest.mark.parametrize("body", CALM)
def test_layers_without_weights_are_computed_and_chosen(body: str) -> None:
    text = write_model(body)
    after = mend(text)
    images = [torch.randn(size) for size in SIZES] + [-torch.rand(SIZES[0])]
    original, mended = build(text), build(after)
    mended.load_state_dict(original.state_dict())
    wanted: list[Any] = [original(image) for image in images]
    assert all(map(is_close, map(mended, images), wanted)), after
    assert not is_right_at_every_size(original, images, wanted)
    assert is_right_at_every_size(mended, images, wanted), after


@pytest.mark.parametrize("body", WILD)
def test_what_writes_draws_or_counts_stays_in_its_branch(body: str) -> None:
    assert "torch.where" not in mend(write_model(body))
