"""LT151: inputs that an exported file does not have, seen in a trial; and keywords that were meant for others."""

from __future__ import annotations

from pathlib import Path

from running import findings, lintorch

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x, mask):
        return self.fc(x)
"""
CALLS = """
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, image, mask=None, scale=None):
        return image if mask is None else image * mask


X = torch.ones(2, 4)
torch.onnx.export(Net(), (X,), "a.onnx", kwargs={"masks": X}, dynamo=False)
torch.onnx.export(Net(), (X, {'msk': X}), "a.onnx", dynamo=False)
torch.export.export(Net(), (X,), {"other": X})
torch.export.export(Net(), (X,), {"mask": X, "masks": X})
"""


def test_a_trial_tells_which_input_the_file_does_not_have(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    told = findings("--export", "onnx-legacy", "--select", "LT151", "net.py", cwd=tmp_path)
    assert [(each["code"], "'mask'" in each["message"]) for each in told] == [("LT151", True)]


def test_a_keyword_takes_the_name_that_it_is_nearly(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text(CALLS)
    lintorch("check", "--fix", "--unsafe-fixes", "--select", "LT151", "calls.py", cwd=tmp_path)
    lines = (tmp_path / "calls.py").read_text().splitlines()
    assert 'kwargs={"mask": X}' in lines[11]
    assert "{'mask': X}" in lines[12]
    assert lines[13:] == CALLS.splitlines()[13:]


EXPORTS = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x, mask):
        unused = mask * 2
        return self.fc(x)


X = torch.ones(2, 8)
torch.onnx.export(Net(), (X, X), "a.onnx", input_names=["x", "mask"], dynamo=False)
"""
OPTIONAL = """
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x, mask=None, scale=None):
        return x * 2 if mask is None else x * mask


X = torch.ones(2, 8)
torch.onnx.export(Net(), (X, X, X), "a.onnx", input_names=["x", "m", "s"], dynamo=False)
torch.onnx.export(Net(), (X, X, X), "a.onnx", input_names=["x", "m"], dynamo=False)
torch.onnx.export(
    Net(), (X, X, X), "a.onnx", input_names=["x", "m", "s"], dynamo=False, dynamic_axes={"s": [0]}
)
"""


def test_a_trial_stands_at_the_call_that_gives_the_input(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(EXPORTS)
    (told,) = findings("--export", "onnx-legacy", "--select", "LT151", "net.py", cwd=tmp_path)
    line = EXPORTS.splitlines()[told["location"]["row"] - 1]
    assert line.startswith("torch.onnx.export")
    assert "take mask out of forward" in str(told)


def test_the_last_input_that_forward_can_do_without_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(OPTIONAL)
    lintorch("check", "--fix", "--unsafe-fixes", "--select", "LT151", "net.py", cwd=tmp_path)
    lines, before = (tmp_path / "net.py").read_text().splitlines(), OPTIONAL.splitlines()
    assert lines[11] == before[11].replace("(X, X, X)", "(X, X)").replace(', "s"]', "]")
    assert lines[12:] == before[12:]
