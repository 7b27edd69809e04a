"""What is told by default, and what is advice because nothing comes of it in the program at hand."""

import json
from pathlib import Path

import pytest
from running import findings, lintorch

ONE_GPU = """
import torch


def restore(model, path):
    device = torch.device("cuda:0")
    model = model.to(device)
    model.load_state_dict(torch.load(path))
"""
ANY_DEVICE = ONE_GPU.replace('torch.device("cuda:0")', "find_device()")
PREFIX = """
import torch


def unwrapped(state):
    return {key.replace("module.", ""): value for key, value in state.items()}
"""
METHOD = """
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_module("conv", nn.Conv2d(3, 3, 1))
"""
PART = METHOD.replace(
    'self.add_module("conv", nn.Conv2d(3, 3, 1))', "self.my_module = nn.Conv2d(3, 3, 1)"
)

SAVED = """
import numpy as np
import torch


def keep(path, model):
    torch.save({"model": model.state_dict(), "best": np.zeros(3)}, path)
"""
WHOLE = """
import torch


def read(path):
    return torch.load(path, weights_only=False)["best"]
"""
BY_ITSELF = """
import torch


def read(path):
    return torch.load(path)["best"]
"""
FROZEN = """
import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        table = torch.zeros(8, 4).float()
        table.require_grad = False
        self.register_buffer("table", table)
"""
TRAINED = FROZEN.replace("False", "True")


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a.py": ONE_GPU}, []),
        ({"a.py": ANY_DEVICE}, ["LT214"]),
        ({"a.py": PREFIX, "net.py": METHOD}, []),
        ({"a.py": PREFIX, "net.py": PART}, ["LT211"]),
        (
            {"a.py": SAVED, "b.py": WHOLE.replace("weights_only", "mmap=True, weights_only")},
            ["LT701"],
        ),
        ({"a.py": SAVED, "b.py": BY_ITSELF}, ["LT213"]),
        ({"a.py": FROZEN}, []),
        ({"a.py": TRAINED}, ["LT405"]),
    ],
    ids=["gpu", "device", "method", "part", "whole", "weights", "idle", "misspelt"],
)
def test_what_comes_to_nothing_is_advice(
    tmp_path: Path, files: dict[str, str], told: list[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = lintorch("check", "--output-format=json", cwd=tmp_path)
    assert [each["code"] for each in json.loads(done.stdout)] == told


AREAS = """
import torch
from torch import nn


class Post(nn.Module):
    def forward(self, x):
        areas = [each.sum().item() for each in x]
        if torch.tensor([area <= 4 for area in areas]).any():
            x = x + 1
        return x
"""


def test_numbers_that_were_read_of_an_input_are_no_part_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(AREAS, encoding="utf-8")
    done = lintorch("check", "--select=LT102", "--output-format=json", cwd=tmp_path)
    (found,) = json.loads(done.stdout)
    assert "decided by the values of a tensor" in found["message"]


def test_names_of_numpy_are_told_with_what_torch_has_for_them(tmp_path: Path) -> None:
    text = "import torch\n\na = torch.percentile(torch.ones(3), 50)\nb = torch.ModuleList()\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    told = json.loads(lintorch("check", "--output-format=json", cwd=tmp_path).stdout)
    assert [each["remedy"] for each in told] == [
        "write torch.quantile(x, q / 100)",
        "write nn.ModuleList or ModuleDict",
    ]


PARTS = "import torch\nimport torch.nn as nn\n"
NETS = """
from parts import *


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.head = nn.Conv2d(3, classes, 1)

    def forward(self, x):
        return self.head(x)
"""
INFER = """
from nets import *
from torch.utils.data import DataLoader


def infer(dataset, classes=3):
    model = Net(classes)
    for image in DataLoader(dataset):
        output = torch.sigmoid(model(image))
        rows = output.cpu().permute(0, 2, 3, 1).contiguous().view(-1, classes)
        print(rows.ROWS.numpy())


if __name__ == "__main__":
    infer(open("images"))
"""


@pytest.mark.parametrize(("rows", "count"), [("max(1)[1]", 0), ("exp()", 1)])
def test_indices_need_no_gradient_where_torch_comes_by_other_files(
    tmp_path: Path, rows: str, count: int
) -> None:
    texts = {"parts.py": PARTS, "nets.py": NETS, "infer.py": INFER.replace("ROWS", rows)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = lintorch("check", "--select=LT805", "--output-format=json", cwd=tmp_path)
    assert len(json.loads(done.stdout)) == count


REMEDIES = {
    "script-syntax": (
        "import torch\n\n\n@torch.jit.script\ndef double(x):\n    twice = lambda y: y * 2\n    return twice(x)\n",
        "write a function at the top of the file",
    ),
    "partial-crop": (
        "import torch.nn.functional as F\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        height = x.shape[2]\n"
        "        return F.pad(x, (0, 0, 0, -height % 8)).exp()[:, :, :height] + 1\n",
        "crop with F.pad(x, (0, 0, 0, n - x.shape[2])), a negative width, which holds at every size",
    ),
    "unknown-argument": (
        "import torch\n\nprint(torch.split(torch.ones(4, 4), split_size=2, dim=1))\n",
        "write split_size_or_sections",
    ),
    "side-effect-in-forward": (
        "import random\n\nfrom torch import nn\n\n\nclass Forced(nn.Module):\n"
        "    def forward(self, x, ratio=0.5):\n"
        "        return x.flip(0) if random.random() < ratio else x\n",
        "export with ratio=0, by which nothing is left to chance",
    ),
    "initialization": (
        "from torch import nn\n\nnn.init.kaiming_normal_(nn.Linear(2, 2).weight, nonlinearity='leaky-relu')\n",
        'write nonlinearity="leaky_relu"',
    ),
}


DECIDED = """import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weights", torch.rand(4))

    def forward(self, x):
        assert (self.weights > 0).all()
        if torch.isnan(x).any():
            print(x)
            sys.exit(1)
        found = []
        for row in range(3):
            if x[row, 0].item() == 0:
                found.append(row)
            if x[row, 1] > 3:
                break
        return x
"""


def test_remedy_is_one_that_the_branch_can_take(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(DECIDED)
    told = lintorch("check", "--select=LT102", "--output-format=json", cwd=tmp_path)
    remedies = [found["remedy"].partition(":")[0] for found in json.loads(told.stdout)]
    check = "check it before the model is called, or only `if not torch.compiler.is_exporting()"
    assert remedies == [
        check,
        check,
        "work it out before or after the exported part of the model",
        "loop a fixed number of times, and keep what is done by torch.where(done, old, new)",
    ]


@pytest.mark.parametrize("rule", REMEDIES)
def test_remedy_is_of_the_form_that_is_found(rule: str, tmp_path: Path) -> None:
    text, remedy = REMEDIES[rule]
    (tmp_path / "net.py").write_text(text)
    told = lintorch("check", "net.py", "--select", rule, "--output-format", "json", cwd=tmp_path)
    assert [found["remedy"] for found in json.loads(told.stdout)] == [remedy]


def test_a_draw_in_forward_is_a_note_where_nobody_says_what_exports(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "import random\n\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        return x * random.random()\n"
    )
    asked = ("--select", "LT113", "--extend-select", "advice")
    (told,) = [e for e in findings(*asked, cwd=tmp_path) if e["code"] == "LT113"]
    assert told["severity"] == "note"
    (tmp_path / "lintorch.toml").write_text('exporters = ["onnx"]\n')
    (told,) = findings("--select", "LT113", cwd=tmp_path)
    assert told["severity"] == "error"


def test_weights_that_lie_there_are_told_by_where_they_were_saved(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.body = nn.Linear(2, 2)\n"
        '        self.load_state_dict(torch.load("kept.pt"))\n'
    )
    asked = ("--select", "LT214", "net.py")
    assert len(findings(*asked, cwd=tmp_path)) == 1
    (tmp_path / "kept.pt").write_bytes(b"...FloatStorage...cpu...")
    assert findings(*asked, cwd=tmp_path) == []
    (tmp_path / "kept.pt").write_bytes(b"...FloatStorage...cuda:0...")
    assert len(findings(*asked, cwd=tmp_path)) == 1
