"""A wrong export is told at the line that makes an array of a tensor, whose numbers no run keeps."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from running import lintorch
from torch import nn

from lintorch.guest.export.error_reading import find_interpreted_site

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
    found = {
        (each["code"], each["location"]["row"]) for each in json.loads(done.stdout)["findings"]
    }
    assert ("LT103", 18) in found
    assert "LT905" not in {code for code, _ in found}


class Inner(nn.Module):  # type: ignore[misc]
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kept = np.ones(x.shape[0], dtype=np.float32)
        return x * torch.from_numpy(kept)[:, None]  # here


class Outer(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.inner(x))


def test_where_torchscript_raises_the_innermost_line_is_told() -> None:
    traced = torch.jit.trace(Outer(), (torch.ones(2, 3),), check_trace=False)
    with pytest.raises(RuntimeError) as raised:
        traced(torch.ones(4, 3))
    site = find_interpreted_site(
        str(raised.value), lambda path: "net.py" if path == __file__ else None
    )
    rows = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert site is not None
    assert rows[site.row - 1].endswith("# here")
