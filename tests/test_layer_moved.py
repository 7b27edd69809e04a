"""A layer that forward makes and moves to a GPU: on the CPU, too, exporters meet that it is moved."""

from __future__ import annotations

from pathlib import Path

from examining import examine_files
from reported import subject_of

from lintorch.record.model_options import ModelLimits

NETS = """
import torch
from torch import nn


class Moved(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(12, 8)

    def forward(self, x):
        return nn.BatchNorm1d(8).cuda()(self.first(x).transpose(1, 2))


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Linear(12, 8).cuda(), nn.BatchNorm1d(8)
        self.rows = nn.LSTM(8, 8).cuda()

    def forward(self, x):
        return self.norm(self.first(x).cuda())
"""


def test_an_exporter_that_refuses_a_moved_layer_is_told_on_the_cpu(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(NETS)
    limits = ModelLimits(seconds=60)
    found = examine_files(
        [tmp_path / "nets.py"], tmp_path, trace=False, exporters=("torch.export",), limits=limits
    )
    told = {subject_of(report).qualname: report.outcomes for report in found}
    (moved,), (kept,) = told["Moved"], told["Kept"]
    assert moved.status == "failed"
    assert "Couldn't swap BatchNorm1d.weight" in moved.message
    assert kept.status == "ok"
