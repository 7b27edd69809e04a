"""An `ok` says at which smaller sizes something inside is one, and what was exported is wrong."""

from __future__ import annotations

from pathlib import Path

from examining import examine_files, write_files
from reported import subject_of

TEXT = """
import torch
from torch import nn

class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.inner = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, image):
        found = self.first(image)
        small = self.inner(nn.functional.max_pool2d(found, 16))
        return found + nn.functional.interpolate(small, size=found.shape[2:])

class Flat(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, image):
        return self.conv(image).mean((2, 3))
"""


def test_an_ok_tells_the_size_below_which_something_inside_is_one(tmp_path: Path) -> None:
    files = write_files(tmp_path, {"net": TEXT})
    exporters = ("torch.export", "torchscript-trace")
    reports = examine_files(files, tmp_path, graphs=False, exporters=exporters)
    found = {
        (subject_of(each).qualname, outcome.exporter): outcome
        for each in reports
        for outcome in each.outcomes
    }
    assert {each.status for each in found.values()} == {"ok"}
    (one,) = found["Deep", "torch.export"].untried
    assert one.site is None
    assert set(one.at.changed) == {"height", "width"}
    assert "raises" in one.why
    assert [key for key, each in found.items() if each.untried] == [("Deep", "torch.export")]
