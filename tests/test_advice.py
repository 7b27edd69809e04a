"""What is told by default, and what is advice because nothing comes of it in the program at hand."""

import json
from pathlib import Path

import pytest
from running import lintorch

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


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a.py": ONE_GPU}, []),
        ({"a.py": ANY_DEVICE}, ["LT214"]),
        ({"a.py": PREFIX, "net.py": METHOD}, []),
        ({"a.py": PREFIX, "net.py": PART}, ["LT211"]),
    ],
    ids=["gpu", "device", "method", "part"],
)
def test_what_comes_to_nothing_is_advice(
    tmp_path: Path, files: dict[str, str], told: list[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = lintorch("check", "--output-format=json", cwd=tmp_path)
    assert [each["code"] for each in json.loads(done.stdout)] == told
