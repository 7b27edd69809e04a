"""What the evaluator says of sizes, held against runs of the same models."""

from __future__ import annotations

import sys
from pathlib import Path

from examining import examine_files, write_files
from running import CHECKOUT

sys.path.append(str(CHECKOUT / "benchmarks"))

from soundness.compare_values import Comparison, compare_values
from soundness.fit_sizes import bind_symbols, fits_shape, list_values

from lintorch.evaluator.sizes import floor_divide, make_operation, make_symbol
from lintorch.source import Source

PYRAMID = """
import torch
import torch.nn.functional as F
from torch import nn


class Branch(nn.Sequential):
    def __init__(self, taken, given, cells):
        super().__init__(nn.AdaptiveAvgPool2d(cells), nn.Conv2d(taken, given, 1), nn.ReLU())


class Net(nn.Module):
    def __init__(self, cells=(1, 2, 3)):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.branches = nn.ModuleList([Branch(8, 4, each) for each in cells])

    def forward(self, x):
        x = self.stem(x)
        size = x.shape[-2:]
        found = [x]
        for branch in self.branches:
            found.append(F.interpolate(branch(x), size=size))
        return torch.cat(found, dim=1)
"""
WINDOWS = """
import torch
import torch.nn.functional as F
from torch import nn


def split_windows(x, side):
    b, c, h, w = x.shape
    x = x.view(b, c, h // side, side, w // side, side)
    return x.permute(0, 2, 4, 3, 5, 1).reshape(-1, side * side, c)


class Net(nn.Module):
    def __init__(self, width=16, side=4, heads=2):
        super().__init__()
        self.side, self.heads = side, heads
        self.embed = nn.Conv2d(3, width, 1)
        self.mix = nn.Linear(width, 3 * width)
        self.last = nn.Linear(width, 5)

    def forward(self, x):
        h, w = x.shape[2:]
        x = F.pad(x, (0, -w % self.side, 0, -h % self.side))
        tokens = split_windows(self.embed(x), self.side)
        b, n, c = tokens.shape
        mixed = self.mix(tokens).reshape(b, n, 3, self.heads, c // self.heads)
        q, k, v = mixed.permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-2, -1)).softmax(dim=-1)
        joined = (scores @ v).transpose(1, 2).reshape(b, n, c)
        return self.last(joined).mean(dim=1)
"""


def compare_models(folder: Path, **texts: str) -> dict[str, Comparison]:
    """By file: its model as the evaluator sees it, and as it ran."""
    paths = write_files(folder, texts)
    found = {}
    for report in examine_files(paths, folder, graphs=False):
        assert report.model is not None, report.failure
        path = Path(report.model.path)
        events = Source(str(path), path.read_text("utf-8")).evaluation.follow_model("Net")
        found[path.stem] = compare_values(events, report.model, report.runs[0])
    return found


def test_no_size_that_a_run_saw_contradicts_the_symbolic_one(tmp_path: Path) -> None:
    found = compare_models(tmp_path, pyramid=PYRAMID, windows=WINDOWS)
    assert {name: each.contradictions for name, each in found.items()} == {
        "pyramid": (),
        "windows": (),
    }
    assert found["pyramid"].fitting >= 8
    assert found["windows"].fitting >= 12


def test_a_size_that_is_another_is_a_contradiction() -> None:
    height = make_symbol("x.H")
    bound = bind_symbols({"x": (2, 3, 9, 64)})
    assert fits_shape((make_symbol("B"), 3, floor_divide(height, 2)), (2, 3, 4), bound) is True
    assert fits_shape((make_symbol("B"), 3, floor_divide(height, 2)), (2, 3, 5), bound) is False
    assert fits_shape((2, 3), (2, 3, 1), bound) is False
    assert fits_shape((make_symbol("other"),), (7,), bound) is None
    assert list_values(make_operation("either", 4, height), bound) == frozenset({4, 9})
    assert list_values(make_operation("data", height), bound) is None
