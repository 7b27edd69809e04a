"""`lintorch models --write`: what was inferred becomes settings, and the settings give the same models."""

from __future__ import annotations

import json
from pathlib import Path

import tomllib
from running import lintorch

NET = """
from torch import nn


class Head(nn.Module):
    def __init__(self, in_channels, act, num_classes=4):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, num_classes, 1)
        self.act = act

    def forward(self, x):
        return self.act(self.conv(x))


def build_head():
    return Head(6, nn.ReLU())
"""


def listed(folder: Path, *options: str) -> list[dict[str, object]]:
    done = lintorch("models", ".", "--output-format", "json", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    models: list[dict[str, object]] = json.loads(done.stdout)
    return models


def test_the_settings_give_the_same_models(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(NET)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "two.py").write_text(NET.replace("build_head", "build_other"))
    project = tmp_path / "pyproject.toml"
    project.write_bytes(b'[project]\r\nname = "x"  # mine\r\n\r\n[tool.lintorch]\r\nopset = 17')
    before = project.read_bytes()
    first = listed(tmp_path, "--write")
    assert project.read_bytes().startswith(before)
    tables = tomllib.loads(project.read_text())["tool"]["lintorch"]["models"]
    assert sorted(tables) == ["Head", "one-Head"] or sorted(tables) == ["Head", "two-Head"]
    assert {table["factory"] for table in tables.values()} == {
        "one.py:build_head",
        "inner/two.py:build_other",
    }
    again = listed(tmp_path, "--write")
    assert [each["inputs"] for each in again] == [each["inputs"] for each in first]
    assert tomllib.loads(project.read_text())["tool"]["lintorch"]["models"] == tables


def test_a_project_without_settings_gets_some(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET.partition("def build_head")[0])
    done = lintorch("models", "net.py", "--write", cwd=tmp_path)
    assert done.stderr.startswith("Wrote to pyproject.toml: Head\n")
    text = (tmp_path / "pyproject.toml").read_text()
    table = tomllib.loads(text)["tool"]["lintorch"]["models"]["Head"]
    assert table["args"] == {"in_channels": 3}
    assert "# made up at each run: act" in text
    assert lintorch("models", "net.py", cwd=tmp_path).stdout.startswith("net.py:Head(")


def test_settings_that_cannot_take_tables_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    project = tmp_path / "pyproject.toml"
    project.write_text("tool = { lintorch = { opset = 17 } }\n")
    done = lintorch("models", "net.py", "--write", cwd=tmp_path)
    assert done.returncode == 2
    assert "pyproject.toml: models cannot be added at its end" in done.stderr
    assert project.read_text() == "tool = { lintorch = { opset = 17 } }\n"


TRAINED = """
import torch
from torch import nn


class Masked(nn.Module):
    def forward(self, x, mask):
        return x * mask


class FocalLoss(nn.Module):
    def forward(self, values):
        return (values**2).mean(1)


class Distance(nn.Module):
    def forward(self, left, right):
        return (left - right).abs().mean()


class Smoothness(nn.Module):
    def forward(self, x):
        return x.diff(dim=-1).abs().mean()


class EndPoint(nn.Module):
    def forward(self, flow, gt):
        return (flow - gt).norm(dim=1)


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.judge = nn.Linear(8, 1)

    def forward(self, x):
        return self.judge(x)


class LayerDiscriminator(Judge):
    pass


class DeployedDiscriminator(Judge):
    pass
"""
TRAINING = """
import torch
from net import DeployedDiscriminator, Judge


def train(self):
    self.netD = Judge().cuda()


def deploy(x):
    judge = DeployedDiscriminator().eval()
    torch.onnx.export(judge, (x,), "judge.onnx")
"""


def test_what_only_training_uses_is_told_and_not_written(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(TRAINED)
    (tmp_path / "train.py").write_text(TRAINING)
    purposes = {each["model"]: each["purpose"] for each in listed(tmp_path, "--write")}
    assert purposes == {
        "net.py:Masked": None,
        "net.py:FocalLoss": "loss",
        "net.py:Distance": "loss",
        "net.py:Smoothness": "loss",
        "net.py:EndPoint": "loss",
        "net.py:Judge": "discriminator",
        "net.py:LayerDiscriminator": "discriminator",
        "net.py:DeployedDiscriminator": None,
    }
    tables = tomllib.loads((tmp_path / "pyproject.toml").read_text())["tool"]["lintorch"]["models"]
    assert sorted(tables) == ["DeployedDiscriminator", "Masked"]


LOCKED = """
from torch import nn


class Locked(nn.Module):
    def __init__(self, code):
        super().__init__()
        if code * 3 != 22023:
            raise ValueError("wrong code")
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        return self.conv(x)


class Alike(Locked):
    pass
"""


def test_what_could_not_be_built_gets_settings_that_only_lack_what_is_unknown(
    tmp_path: Path,
) -> None:
    (tmp_path / "net.py").write_text(LOCKED)
    done = lintorch("models", "net.py", "--write", "-v", cwd=tmp_path)
    told = "Wrote to pyproject.toml: Alike (to be filled in), Locked (to be filled in)\n"
    assert done.stderr.startswith(told)
    assert "  net.py:Alike  build: ValueError: wrong code (net.py:9)\n" in done.stdout
    assert "    and net.py:Locked\n" in done.stdout
    assert 'line 9, in __init__\n          raise ValueError("wrong code")' in done.stdout
    assert "lintorch/guest" not in done.stdout
    project = tmp_path / "pyproject.toml"
    assert tomllib.loads(project.read_text()) == {}
    stub = project.read_text().split("\n\n")[1].splitlines()[1:]
    filled = "\n".join(line.removeprefix("# ") for line in stub).replace("?", "7341")
    project.write_text(filled)
    (model,) = (each for each in listed(tmp_path) if "inputs" in each)
    assert (model["model"], model["arguments"]) == ("net.py:Locked", {"code": 7341})
