"""Models whose arguments are lists and mappings of tensors: fed, traced and exported like any other."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running import findings, interpreter, lintorch

NETS = """
from typing import List

import torch
from torch import nn
from torch.nn import functional as F


class Captioned(nn.Module):
    def __init__(self, vocab=100):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.words = nn.Embedding(vocab, 8)

    def forward(self, batch):
        return self.conv(batch["image"]).mean((2, 3)) + self.words(batch["input_ids"]).mean(1)


class Pyramid(nn.Module):
    def __init__(self, in_channels):
        super().__init__()
        self.sides = nn.ModuleList(nn.Conv2d(c, 4, 1) for c in in_channels)

    def forward(self, maps: List[torch.Tensor]):
        maps = [side(each) for side, each in zip(self.sides, maps)]
        return maps[0] + F.interpolate(maps[-1], size=maps[0].shape[-2:])


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, both):
        left, right = both
        return self.conv(left) - self.conv(right)


class Crops(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, crops: list[torch.Tensor], scale: torch.Tensor):
        wide = int(crops[0].shape[0])
        return sum(self.conv(crop) for crop in crops).mean((2, 3)).view(wide, 4) * scale.mean()


class Turned(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(5, 4, 3)

    def forward(self, x):
        return self.conv(x.permute(0, 3, 1, 2))
"""
IMAGE = "float32[batch=2, 3, height=64, width=64]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("structures")
    (folder / "nets.py").write_text(NETS)
    return folder


def test_they_are_fed_what_their_text_uses(folder: Path) -> None:
    done = lintorch("models", "nets.py", "--output-format", "json", cwd=folder)
    inputs = {
        each["model"].rpartition(":")[2]: each.get("inputs") for each in json.loads(done.stdout)
    }
    assert inputs["Captioned"] == [
        {"image": IMAGE, "input_ids": "int64[batch=2, sequence=16] in 0..98"}
    ]
    assert inputs["Pair"] == [[IMAGE, IMAGE]]
    assert inputs["Turned"] == ["float32[batch=2, height=64, width=64, 5]"]
    apart = IMAGE.replace("height", "height_scale").replace("width", "width_scale")
    assert inputs["Crops"] == [[IMAGE, IMAGE], apart]
    (maps,) = inputs["Pyramid"]
    assert maps == [f"float32[batch=2, {c}, {s}, {s}]" for c, s in ((16, 64), (32, 32), (64, 16))]


@pytest.fixture(scope="module")
def exported(folder: Path) -> dict[str, dict[str, Any]]:
    to = [part for name in ("onnx", "onnx-legacy", "torchscript-trace") for part in ("--to", name)]
    done = lintorch(
        "export", "nets.py", *to, "--output-format", "json", "--repro", "repro", cwd=folder
    )
    trials = json.loads(done.stdout)["trials"]
    return {f"{each['model'].rpartition(':')[2]} {each['exporter']}": each for each in trials}


def test_they_are_exported(exported: dict[str, dict[str, Any]]) -> None:
    right = {name: each["status"] for name, each in exported.items() if "Crops" not in name}
    assert len(right) == 12
    assert set(right.values()) == {"ok"}


def test_a_size_of_a_part_is_found_at_its_line(
    exported: dict[str, dict[str, Any]], folder: Path
) -> None:
    assert exported["Crops onnx-legacy"]["status"] == "wrong"
    found = findings("nets.py", "--export", "onnx-legacy", "--select", "LT101", cwd=folder)
    (row,) = (n for n, line in enumerate(NETS.splitlines(), 1) if "wide = int(" in line)
    assert [(each["location"]["row"], each["evidence"]) for each in found] == [(row, "export")]
    script = folder / "repro" / "nets.Crops.onnx-legacy.py"
    done = subprocess.run([interpreter(), script], capture_output=True, text=True)
    assert done.returncode == 1
    assert "requested shape:{2,4}" in done.stderr


def test_settings_describe_them(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "pyproject.toml").write_text(
        "[tool.lintorch.models.pair]\n"
        'factory = "nets.py:Pair"\n'
        'inputs = [["float32[batch, 3, 32, 32]", "float32[1, 3, 32, 32]"]]\n'
        "[tool.lintorch.models.captioned]\n"
        'factory = "nets.py:Captioned"\n'
        'inputs = [{image = "float32[batch, 3, 16, 16]", input_ids = "int64[batch, 4] in 0..9"}]\n'
    )
    done = lintorch("models", "nets.py", cwd=tmp_path)
    assert "pair on both: [float32[batch=2, 3, 32, 32], float32[1, 3, 32, 32]]" in done.stdout
    assert (
        "batch: {image: float32[batch=2, 3, 16, 16], input_ids: int64[batch=2, 4] in 0..9}"
        in done.stdout
    )
