"""Branches between layers without weights, rewritten: the same in eager mode, and exported at every size."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from test_rewrites import (  # noqa: E402
    RULES,
    SIZES,
    build,
    is_close,
    is_right_at_every_size,
    mend,
    settle_twice,
)

from lintorch.core.dispatch import lint_subject  # noqa: E402
from lintorch.core.profile import Profile  # noqa: E402
from lintorch.source import Source  # noqa: E402

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
        self.same = nn.Conv2d(4, 4, 3, padding=1)
        self.mixed = nn.Sequential(nn.Conv2d(4, 4, 1), nn.ReLU())
        self.narrow = nn.Conv2d(4, 2, 1)
        self.normed = nn.Sequential(nn.Conv2d(4, 4, 1, bias=False), nn.BatchNorm2d(4))

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


WEIGHTED = [
    "return self.same(x) if x.max() > 1 else self.mixed(x)",
    "if x.sum() > 0:|    x = self.same(x)|return x",
    "if not x.sum() > 0:|    y = self.mixed(x)|else:|    y = x|return y",
]
ALONE = [
    "return self.same(x) if x.max() > 1 else self.narrow(x)",
    "return self.same(x) if x.max() > 1 else self.same(image)",
    "if x.sum() > 0:|    x = self.normed(x)|return x",
    "if x.sum() > 0:|    x = self.drop(x)|return x",
    "if x.sum() > 0:|    x = self.same(x.relu())|return x",
]


def mend_for(text: str, *exporters: str) -> str:
    """With the fixes of branches alone, for some exporters."""
    profile = Profile(frozenset(exporters), 18)

    def find(now: str) -> Any:
        found = lint_subject(Source("model.py", now, profile), RULES)
        return [each for each in found if each.code == "LT102"]

    return settle_twice(text, find)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("body", WEIGHTED)
def test_layers_with_weights_are_chosen_in_the_graph(body: str) -> None:
    text = write_model(body)
    after = mend_for(text, "torch.export", "onnx")
    assert "torch.cond(" in after
    assert mend_for(text, "torch.export", "torchscript-trace") == text
    images = [torch.randn(size) for size in SIZES] + [-torch.rand(SIZES[0])]
    original, mended = build(text).eval(), build(after).eval()
    mended.load_state_dict(original.state_dict())
    wanted: list[Any] = [original(image) for image in images]
    assert all(map(is_close, map(mended, images), wanted)), after
    assert not is_right_at_every_size(original, images, wanted)
    assert is_right_at_every_size(mended, images, wanted), after


@pytest.mark.parametrize("body", ALONE)
def test_a_side_of_another_shape_or_with_a_mode_is_not_chosen_in_the_graph(body: str) -> None:
    assert "torch.cond(" not in mend_for(write_model(body), "torch.export", "onnx")
