"""A device that a constructor is given is no matter of the file that the layer is built in."""

from __future__ import annotations

import json
from pathlib import Path

from running import lintorch

PART = """import torch
from torch import nn


class Feed(nn.Module):
    def __init__(self, width=8, device="cuda"):
        super().__init__()
        self.device = device
        self.lin = nn.Linear(width, 8)

    def forward(self, x):
        return self.lin(x.to(self.device))


def make_steps(count, device="cuda"):
    return torch.linspace(0, 1, count, device=device)


def make_mask(count):
    return torch.ones(count, device="cuda")
"""
WHOLE = """import torch
from part import Feed, make_mask, make_steps
from torch import nn


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.feed, self.device = Feed(8), "cuda"

    def forward(self, x):
        steps = make_steps(8, self.device) * make_mask(8)
        return self.feed(x) + steps + torch.zeros(8).cuda()
"""


def test_a_device_of_a_part_in_another_file_is_left_to_that_file(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(PART)
    (tmp_path / "whole.py").write_text(WHOLE)
    done = lintorch("check", "--select=LT112", "--output-format=json", cwd=tmp_path)
    found = [(each["filename"], each["location"]["row"]) for each in json.loads(done.stdout)]
    assert found == [("part.py", 20), ("whole.py", 13)]
