"""Arguments of `forward` that are no tensors get values of their kind, which exports hold as constants."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running import interpreter, lintorch

NETS = """\
import torch.nn.functional as F
from torch import nn


class Refine(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, image1, image2, test_mode, iters, mode):
        for _ in range(iters):
            image1 = image1 + self.step(image2)
        if mode == "mean":
            image1 = image1.mean(1, keepdim=True)
        elif mode != "sum":
            raise ValueError(mode)
        return image1.relu() if test_mode else image1


class Mix(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.local = nn.Conv2d(dim, dim, 3, padding=1)

    def forward(self, x, H, W):
        batch, tokens, dim = x.shape
        x = self.local(x.transpose(1, 2).view(batch, dim, H, W))
        return x.flatten(2).transpose(1, 2)


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 16)
        self.blocks = nn.ModuleList([Mix()])

    def forward(self, x, rows, columns):
        x = self.first(x)
        for block in self.blocks:
            x = block(x, rows, columns)
        return x


class Resize(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x, x_size):
        height, width = x_size
        return self.conv(F.interpolate(x, size=(height, width)))


class Late(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x, scale=2, hint=None, mask=None):
        if mask is None:
            raise ValueError("mask is needed")
        return self.conv(x * scale) + self.conv(mask)
"""
IMAGE = "float32[batch=2, 3, height=64, width=64]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    (folder / "nets.py").write_text(NETS)
    return folder


def test_they_get_values_of_their_kind(folder: Path) -> None:
    done = lintorch("models", "nets.py", "--output-format", "json", cwd=folder)
    inputs = {each["model"].rpartition(":")[2]: each["inputs"] for each in json.loads(done.stdout)}
    assert inputs == {
        "Refine": [IMAGE, IMAGE, "= False", "= 2", "= 'mean'"],
        "Mixer": ["float32[batch=2, sequence=64, 16]", "= sequence // 8", "= 8"],
        "Resize": [IMAGE, "= (height, width)"],
        "Late": [IMAGE, "= 2", "= None", IMAGE],
    }


@pytest.fixture(scope="module")
def exported(folder: Path) -> dict[str, dict[str, Any]]:
    names = ("torch.export", "onnx-legacy", "torchscript-script")
    to = [part for name in names for part in ("--to", name)]
    done = lintorch(
        "export", "nets.py", *to, "--output-format", "json", "--repro", "repro", cwd=folder
    )
    trials = json.loads(done.stdout)["trials"]
    return {f"{each['model'].rpartition(':')[2]} {each['exporter']}": each for each in trials}


def test_they_are_exported_as_constants(exported: dict[str, dict[str, Any]]) -> None:
    status = {name: each["status"] for name, each in exported.items() if "script" not in name}
    assert len(status) == 8
    assert set(status.values()) == {"ok"}
    assert "Tensor" in exported["Refine torchscript-script"]["message"]


def test_a_program_passes_them(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(
        "from torch import nn\n\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.conv = nn.Conv2d(3, 4, 1)\n\n"
        "    def forward(self, x, test_mode):\n"
        "        x = self.conv(x) * int(x.shape[0])\n"
        "        return x if test_mode else x.relu()\n"
    )
    lintorch("export", "nets.py", "--to", "onnx-legacy", "--repro", "repro", cwd=tmp_path)
    script = tmp_path / "repro" / "nets.Net.onnx-legacy.py"
    assert "        False,\n" in script.read_text()
    done = subprocess.run([interpreter(), script], capture_output=True, text=True)
    assert "wrong at {'batch': 3" in done.stderr


def test_settings_say_them(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "pyproject.toml").write_text(
        "[tool.lintorch.models.resize]\n"
        'factory = "nets.py:Resize"\n'
        'inputs = ["float32[1, 3, height=32, width=32]", "= (height * 2, width)"]\n'
        "[tool.lintorch.models.refine]\n"
        'factory = "nets.py:Refine"\n'
        'inputs = ["float32[1, 3, 8, 8]", "float32[1, 3, 8, 8]", true, 3, "= \'sum\'"]\n'
    )
    done = lintorch("models", "nets.py", cwd=tmp_path)
    assert "x_size = (height * 2, width)" in done.stdout
    assert "test_mode = True, iters = 3, mode = 'sum'" in done.stdout


@pytest.mark.parametrize("value", ["__import__('os')", "x.y", "[1 for _ in x]", "f'{1}'", "1 if"])
def test_what_is_no_value_is_refused(value: str, tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "lintorch.toml").write_text(
        f'[models.resize]\nfactory = "nets.py:Resize"\ninputs = ["= {value}"]\n'
    )
    done = lintorch("models", "nets.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "inputs" in done.stderr or "value" in done.stderr or "literal" in done.stderr
