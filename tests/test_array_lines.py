"""A wrong export is told at the line that makes an array of a tensor, whose numbers no run keeps."""

from __future__ import annotations

import json
from pathlib import Path

from running import lintorch

NET = """
import torch
from torch import nn


def spread(lengths, longest):
    made = [[[float(k < n) for k in range(longest)] for n in row] for row in lengths]
    return torch.tensor(made)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        lengths = (self.layer(x) * 4).abs().int()
        table = spread(lengths.numpy(), 40)
        return x * table.sum(-1)
"""


def test_a_trace_that_keeps_an_array_is_wrong_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    options = ("--to", "torchscript-trace", "--output-format", "json")
    done = lintorch("export", "net.py", *options, cwd=tmp_path)
    found = {(each["code"], each["row"]) for each in json.loads(done.stdout)["findings"]}
    assert ("LT103", 18) in found
    assert "LT905" not in {code for code, _ in found}
