"""Classes that nothing in a project speaks of, beside others that it uses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import lintorch

NETS = """import torch
from torch import nn


class Old(nn.Module):
    def forward(self, x):
        return x + torch.zeros(8).cuda()


class Net(nn.Module):
    def forward(self, x):
        return x + torch.ones(8).cuda()
"""
TRAINS = "from nets import Net\n\nnet = Net()\n"


def test_what_a_class_does_that_nothing_names_is_left(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(NETS)
    assert rows(tmp_path) == [7, 12]
    (tmp_path / "train.py").write_text(TRAINS)
    assert rows(tmp_path) == [12]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("losses.py", '"""Old losses, of Old days."""\n'),
        ("kernels/setup.py", "from setuptools import setup\nsetup()\n"),
        ("train.py", f"{TRAINS}net.eval()  # as eval() says\n"),
    ],
)
def test_what_only_speaks_of_a_class_does_not_keep_it(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "train.py").write_text(TRAINS)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    assert rows(tmp_path) == [12]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.py", f"{TRAINS}# or Old\n"),
        ("train.py", "import nets\nfrom nets import Net\nnet = getattr(nets, 'O' + 'ld')()\n"),
        ("options.yaml", "net: nets.Old\n"),
        ("setup.py", "from setuptools import setup\nsetup()\n"),
        ("nets.py", f"{NETS}\n\nALL = [Old, Net]\n"),
        ("nets.py", f"{NETS}\n\ndef make(name):\n    return globals()[name]()\n"),
    ],
)
def test_what_may_find_a_class_keeps_it(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "train.py").write_text(TRAINS)
    (tmp_path / name).write_text(text)
    assert rows(tmp_path) == [7, 12]


def rows(folder: Path) -> list[int]:
    done = lintorch("check", "--select=LT112", "--output-format=json", cwd=folder)
    found = json.loads(done.stdout)
    return [row for each in found for row in [each["location"]["row"], *rows_also(each)]]


def rows_also(found: dict[str, list[dict[str, dict[str, int]]]]) -> list[int]:
    return [each["location"]["row"] for each in found.get("also", [])]
