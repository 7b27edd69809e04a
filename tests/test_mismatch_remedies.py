"""What LT806 tells to write is what makes the shapes fit."""

from __future__ import annotations

import re

import pytest

from lintorch import catalog
from lintorch.core.dispatch import index_detectors, lint_subject
from lintorch.core.finding import Evidence
from lintorch.core.profile import Profile
from lintorch.source import Source

torch = pytest.importorskip("torch")

RULES = index_detectors(catalog.build_catalog().rules.values(), Evidence.SOURCE)
HEAD = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.layer = {layer}

    def forward(self, x):
        y = self.first(x)
        return {result}


if __name__ == "__main__":
    Net()(torch.rand(2, 3, 5, 5))
"""
LAYERS = [
    ("nn.Conv2d(16, 4, 1)", "self.layer(y)"),
    ("nn.Linear(10, 5)", "self.layer(y.mean((2, 3)))"),
    ("nn.BatchNorm2d(9)", "self.layer(y)"),
    ("nn.GRU(7, 4)", "self.layer(y.mean((2, 3)))[0]"),
    ("nn.LayerNorm(6)", "self.layer(y.mean((2, 3)))"),
]
OPERANDS = {
    "y * torch.rand(2, 8)": "give the one of fewer axes those that it lacks, as by x[:, None] or x.unsqueeze(-1)",
    "y * torch.rand(1, 8, 1, 4)[:, 2:]": "give both 5 or 4 along axis 3, or one of them 1",
    "torch.rand(2, 8) @ torch.rand(4, 8)": "turn the second: x @ y.mT",
    "torch.zeros(4, 6).view(5, 5) + y": "write sizes whose product is 24, or -1 for the last that is not known",
}


def find_remedy(text: str) -> str:
    found = lint_subject(Source("model.py", text, Profile()), RULES)
    return next((each.remedy for each in found if each.code == "LT806"), "")


@pytest.mark.parametrize(("layer", "result"), LAYERS)
def test_a_layer_is_right_with_the_size_that_it_is_told(layer: str, result: str) -> None:
    text = HEAD.format(layer=layer, result=result)
    found = re.fullmatch(r"write (\d+) for its (\d+) [\w ]+", find_remedy(text))
    assert found is not None
    got, wanted = found.groups()
    run(HEAD.format(layer=layer.replace(f"({wanted}", f"({got}"), result=result))
    with pytest.raises(RuntimeError):
        run(text)


@pytest.mark.parametrize(("result", "remedy"), OPERANDS.items())
def test_of_two_tensors_the_remedy_names_what_differs(result: str, remedy: str) -> None:
    assert find_remedy(HEAD.format(layer="None", result=result)) == remedy


def run(text: str) -> None:
    names = {"__name__": "model"}
    exec(text, names)
    names["Net"]()(torch.rand(2, 3, 5, 5))  # type: ignore[operator]
