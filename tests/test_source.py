"""What a file's names stand for and what its values are, across the files of a project."""

from __future__ import annotations

import ast
import gc
import weakref
from pathlib import Path

import libcst as cst
import pytest
from running import codes, findings

from lintorch.core.kept_by_size import keep_by_size
from lintorch.source import Source
from lintorch.syntax.python_ast import list_nodes

COMMON = """
import torch.nn.functional as F
from torch import nn as layers

Norm = layers.BatchNorm2d


class Block(layers.Module):
    pass


def helper(x):
    return x
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    package = tmp_path / "nets"
    package.mkdir()
    (package / "common.py").write_text(COMMON)
    (package / "__init__.py").write_text("from .common import Block, F, helper\n")
    return package


@pytest.mark.parametrize(
    ("imports", "written", "name"),
    [
        ("from .common import F", "F.relu", "torch.nn.functional.relu"),
        ("from nets import F as f", "f.relu", "torch.nn.functional.relu"),
        ("from . import Block", "Block", "nets.common.Block"),
        ("from nets import helper", "helper", "nets.common.helper"),
        ("from .common import layers", "layers.Conv2d", "torch.nn.Conv2d"),
        ("from .common import Norm", "Norm", "torch.nn.BatchNorm2d"),
        ("from . import common", "common.F.relu", "torch.nn.functional.relu"),
        ("from .common import *", "F.relu", "torch.nn.functional.relu"),
        ("from .common import *", "Block", "nets.common.Block"),
        ("from torch.nn import *", "Linear", "torch.nn.Linear"),
        ("from torch import *\nfrom torch.nn import *", "Linear", "torch.nn.Linear"),
        ("from torch import *\nfrom torch.nn import *", "relu", "torch.relu"),
        ("from torch import *", "abs", ""),
        ("from elsewhere import *\nfrom torch.nn import *", "Linear", ""),
        ("from torch.nn import *\nLinear = make()", "Linear", ""),
        ("import torch\nact = torch.relu", "act", "torch.relu"),
        ("import torch.nn.functional as F\nG = F", "G.relu", "torch.nn.functional.relu"),
        ("from missing.layers import F", "F.relu", "missing.layers.F.relu"),
    ],
)
def test_a_name_is_followed_to_where_it_was_made(
    project: Path, imports: str, written: str, name: str
) -> None:
    source = Source(str(project / "net.py"), f"{imports}\n\n{written}(1)\n")
    assert source.name(source.nodes(cst.Call)[-1].func) == name


def test_a_base_with_a_type_argument_is_that_base(project: Path) -> None:
    (project / "net.py").write_text(
        "from .common import Block\n\n\nclass Net(Block[int]):\n    pass\n"
    )
    text = "from .net import Net\n\n\nclass Own(Net[str]):\n    pass\n"
    source = Source(str(project / "own.py"), text)
    assert [c.is_module for c in source.classes.all.values()] == [True]


NET = """
from torch import nn

from sizes import halve


class Net(nn.Module):
    def forward(self, x):
        return halve(x)
"""
SIZES = """
import torch


def halve(x: torch.Tensor):
    return crop(x, int(x.shape[2]))


def crop(x, n):
    return x[:, :, :n]
"""


def test_a_helper_in_another_file_runs_in_the_forward_pass_that_calls_it(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text(SIZES)
    assert codes("--select", "LT101", ".", cwd=tmp_path) == []
    net = tmp_path / "net.py"
    net.write_text(NET)
    for _ in range(2):  # the second time from the cache
        found = findings("--select", "LT101", ".", cwd=tmp_path)
        assert [(f["filename"], f["location"]["row"]) for f in found] == [("sizes.py", 6)]
    net.write_text(NET.replace("halve(x)", "x"))
    assert codes("--select", "LT101", ".", cwd=tmp_path) == []


@pytest.mark.parametrize(
    "path",
    ["data/augment.py", "augmentations/echo.py", "data_augmentation.py", "MyLoss.py", "loss/f.py"],
)
def test_what_changes_or_judges_data_for_training_is_traced_by_nobody(path: str) -> None:
    text = "from torch import nn\nclass Echo(nn.Module):\n    def forward(self, x):\n        return f(x)\n"
    for where, traced in (
        (path, False),
        ("echo.py", True),
        ("augmented_net.py", True),
        ("lossless.py", True),
    ):
        source = Source(where, text)
        (call,) = source.nodes(cst.Call)
        assert source.in_traced_forward(call) is traced


@pytest.mark.parametrize(
    ("path", "before", "traced"),
    [
        ("transforms/transforms.py", "from PIL import Image\n", False),
        ("util/_functional_tensor.py", "def get_dimensions(img):\n    return img.shape\n", False),
        ("flows/transforms.py", "", True),
        ("models/net.py", "from PIL import Image\n", True),
    ],
)
def test_what_changes_pictures_ahead_of_a_model_is_traced_by_nobody(
    path: str, before: str, traced: bool
) -> None:
    text = "from torch import nn\nclass Echo(nn.Module):\n    def forward(self, x):\n        return f(x)\n"
    source = Source(path, before + text)
    assert source.in_traced_forward(source.nodes(cst.Call)[-1]) is traced


TRAINING = """
import torch
from torch import nn


def make():
    return nn.Sequential(nn.Linear(3, 4), nn.Dropout())


def train(loader, loss_fn):
    model = make()
    optimizer = torch.optim.SGD(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
    model.eval()
    return model
"""


def test_a_tree_goes_with_its_source_as_no_fact_points_back() -> None:
    gc.disable()
    try:
        source = Source("train.py", TRAINING)
        assert source.mentions_of("model")
        assert not source.enters
        tree = weakref.ref(source.tree)
        del source
        assert tree() is None
    finally:
        gc.enable()


def test_nodes_are_those_of_a_walk_but_for_operators_and_contexts() -> None:
    tree = ast.parse(Path(__file__).read_text())
    plain = (ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context)
    walked = {id(each) for each in ast.walk(tree) if not isinstance(each, plain)}
    assert {id(each) for each in list_nodes(tree)} == walked


def test_what_is_kept_of_texts_is_bounded_by_their_length() -> None:
    asked: list[str] = []

    @keep_by_size(10, len)
    def read(text: str) -> str:
        asked.append(text)
        return text

    for text in ("four", "five.", "four", "eight...", "four", "eight...", "longer than all"):
        assert read(text) == text
    assert asked == ["four", "five.", "eight...", "four", "eight...", "longer than all"], asked
    assert read("longer than all") == asked[-1]
    assert len(asked) == 6
