"""`--verify`: fixes are held to their promise by models that run with and without them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from running import lintorch

from lintorch.core.finding import Edit
from lintorch.run.fixed_rows import list_fixed_rows

RULE = '''"""XY001: functions that other functions take the place of."""

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE
OTHERS = {
    "torch.mul": ("torch.multiply", SAFE),
    "torch.clone": ("torch.detach", SAFE),
    "torch.sin": ("torch.cos", UNSAFE),
    "torch.square": ("torch.squared", UNSAFE),
}
rule = Rule(
    __name__,
    code="XY001",
    summary="a function",
    why="Another takes its place.",
    bad="""
        import torch


        def double(x):
            return torch.mul(x, 2)
    """,
    good="""
        import torch


        def double(x):
            return torch.multiply(x, 2)
    """,
    fix=SAFE,
)


@rule.source(cst.Call, needs=("torch",))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    name, promise = OTHERS.get(source.name(call.func) or "", ("", SAFE))
    if name:
        yield Hit(call, "is another", Fix(name, (source.replace(call.func, name),), promise))
'''
NET = """import torch
from helpers import halve
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        x = torch.mul(self.conv(x), 2)
        x = torch.clone(x)
        x = torch.sin(x)
        x = torch.square(x)
        return halve(x).reshape(int(x.size(0)), -1)


def train(x):
    return torch.mul(x, 2)
"""
HELPERS = "import torch\n\n\ndef halve(x):\n    return torch.mul(x, 0.5)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "another.py").write_text(RULE)
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "net.py").write_text(NET)
    (tmp_path / "net" / "helpers.py").write_text(HELPERS)
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


def verify(project: Path, *options: str) -> tuple[list[dict[str, Any]], str]:
    """What is found, and what is said on standard error."""
    done = lintorch(
        "check", "net", "--rules", "mine", "--verify", "--output-format", "json", *options,
        cwd=project,
    )  # fmt: skip
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found, done.stderr


def test_what_is_said_of_each_fix(project: Path) -> None:
    found, told = verify(project, "--export", "torchscript-trace")
    fixes = {
        (f["filename"].rpartition("/")[2], f["location"]["row"]): f["fix"]
        for f in found
        if f["fix"] and f["code"] in ("XY001", "LT101")
    }
    assert {place: fix["verified"] for place, fix in fixes.items()} == {
        ("helpers.py", 5): True,
        ("net.py", 12): True,
        ("net.py", 13): False,
        ("net.py", 14): False,
        ("net.py", 15): False,
        ("net.py", 16): True,
        ("net.py", 20): True,
    }
    said = {place: fix["verification"] for place, fix in fixes.items()}
    assert "outputs, gradients and state are equal, in eval and training" in said["net.py", 12]
    assert "batch 2, 3" in said["helpers.py", 5]
    assert "torchscript-trace: wrong → ok" in said["net.py", 16]
    assert "gradient of input x in training mode" in said["net.py", 13]
    assert "output" not in said["net.py", 13].partition(";")[0]
    assert "output in eval mode at batch,height,width" in said["net.py", 14]
    assert "AttributeError" in said["net.py", 15]
    assert said["net.py", 20].startswith("train, called with")
    kinds = {place: fix["applicability"] for place, fix in fixes.items()}
    assert (kinds["net.py", 13], kinds["net.py", 14]) == ("display", "unsafe")
    (defect,) = (f for f in found if f["code"] == "LT010")
    assert (defect["location"]["row"], defect["severity"]) == (13, "error")
    assert "XY001 (another)" in defect["message"]
    assert "net.py:15: the fix of XY001 (another) was left out: Net" in told
    assert (project / "net" / "net.py").read_text() == NET


def test_only_what_holds_is_written(project: Path) -> None:
    done = lintorch(
        "check", "net", "--rules", "mine", "--verify", "--fix", "--ignore", "LT101", cwd=project
    )
    mended = NET.replace("torch.mul", "torch.multiply")
    assert (project / "net" / "net.py").read_text() == mended
    assert (project / "net" / "helpers.py").read_text() == HELPERS.replace("mul", "multiply")
    assert "verified (XY001 in line 12): Net at" in done.stdout
    assert "LT010" in done.stdout
    assert done.returncode == 1


def test_files_whose_models_cannot_tell(project: Path) -> None:
    (project / "net" / "net.py").write_text("import torch\nimport os\n\ny = torch.mul(1, 2)\n")
    (project / "net" / "helpers.py").write_text("raise SystemExit  # torch\n" + HELPERS)
    cell = {"cell_type": "code", "source": HELPERS, "metadata": {}, "outputs": []}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "net" / "demo.ipynb").write_text(json.dumps(book))
    found, _ = verify(project)
    fixes = {f["filename"].rpartition("/")[2]: f["fix"] for f in found if f["code"] == "XY001"}
    assert {name: fix["verified"] for name, fix in fixes.items()} == {
        "demo.ipynb": True,
        "helpers.py": True,
        "net.py": None,
    }
    assert fixes["demo.ipynb"]["verification"].startswith("halve, called with")
    assert "stands in no function, class or loop" in fixes["net.py"]["verification"]


def test_a_text_from_standard_input_is_not_run(project: Path) -> None:
    done = lintorch("check", "-", "--verify", cwd=project, stdin=HELPERS)
    assert (done.returncode, "can be read, not run" in done.stderr) == (2, True)


BAKED = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        x = torch.mul(self.conv(x), 2)
        return x.reshape(int(x.size(0)), -1)
"""


def test_the_fewest_fixes_after_which_an_export_is_right(project: Path) -> None:
    (project / "net" / "net.py").write_text(BAKED)
    asked = ("fix", "net/net.py", "--rules", "mine", "--until-exports", "torchscript-trace")
    done = lintorch(*asked, cwd=project)
    mended = BAKED.replace("int(x.size(0))", "x.size(0)")
    assert (done.returncode, (project / "net" / "net.py").read_text()) == (0, mended), done.stderr
    assert "torchscript-trace: wrong → ok after LT101" in done.stderr
    assert "+        return x.reshape(x.size(0), -1)\n" in done.stdout


def test_what_no_fix_makes_right_is_told_by_its_line(project: Path) -> None:
    drawn = BAKED.replace(
        "return x.reshape(int(x.size(0)), -1)", "return sum(x * i for i in range(x.size(0)))"
    )
    (project / "net" / "net.py").write_text(drawn)
    asked = ("fix", "net/net.py", "--rules", "mine", "--until-exports", "torchscript-trace")
    done = lintorch(*asked, cwd=project)
    assert (done.returncode, (project / "net" / "net.py").read_text()) == (1, drawn), done.stderr
    assert "net/net.py:12: " in done.stderr


def test_fixes_of_what_no_exporter_meets_are_not_tried_for_one(project: Path) -> None:
    normed = BAKED.replace(
        "nn.Conv2d(3, 4, 1)", "nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4))"
    )
    drawn = normed.replace(
        "return x.reshape(int(x.size(0)), -1)", "return sum(x * i for i in range(x.size(0)))"
    )
    (project / "net" / "net.py").write_text(drawn)
    found = lintorch("check", "net/net.py", "--select", "LT507", cwd=project)
    assert "1 fixable with --fix --unsafe-fixes" in found.stdout
    asked = ("fix", "net/net.py", "--until-exports", "torchscript-trace")
    done = lintorch(*asked, cwd=project)
    assert done.returncode == 1, done.stderr
    assert "LT507" not in done.stderr


LAYERS = """\
from torch import nn


class Flat(nn.Module):
    def forward(self, x):
        return x.reshape(int(x.size(0)), -1)
"""
STACKED = """\
from layers import Flat
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.flat = Flat()

    def forward(self, x):
        return self.flat(x.reshape(int(x.size(0)), 1, -1))
"""


def write_stacked(project: Path, net: str) -> tuple[Path, Path]:
    files = project / "net" / "net.py", project / "net" / "layers.py"
    for file, text in zip(files, (net, LAYERS), strict=True):
        file.write_text(text)
    return files


def test_fixes_of_files_that_the_model_runs_through_make_its_export_right(project: Path) -> None:
    net, layers = write_stacked(project, STACKED)
    asked = ("fix", "net/net.py", "--rules", "mine", "--until-exports", "torchscript-trace")
    done = lintorch(*asked, cwd=project)
    assert done.returncode == 0, done.stderr
    assert "int(" not in net.read_text() + layers.read_text()
    assert "--- a/net/net.py\n" in done.stdout
    assert "--- a/net/layers.py\n" in done.stdout
    assert "LT101 (net/layers.py: return x.reshape(int(x.size(0)), -1))" in done.stderr


def test_a_file_whose_fixes_are_not_needed_stays_as_it_is(project: Path) -> None:
    harmless = STACKED.replace("x.reshape(int(x.size(0)), 1, -1)", "torch.mul(x, 2)")
    net, layers = write_stacked(project, f"import torch\n{harmless}")
    asked = ("fix", "net/net.py", "--rules", "mine", "--until-exports", "torchscript-trace")
    done = lintorch(*asked, cwd=project)
    assert (done.returncode, net.read_text()) == (0, f"import torch\n{harmless}"), done.stderr
    assert layers.read_text() == LAYERS.replace("int(x.size(0))", "x.size(0)")


def test_no_file_is_written_where_the_export_is_not_right_in_the_end(project: Path) -> None:
    looped = "sum(x * i for i in range(x.size(0)))"
    stuck = STACKED.replace("x.reshape(int(x.size(0)), 1, -1)", looped)
    net, layers = write_stacked(project, stuck)
    asked = ("fix", "net/net.py", "--rules", "mine", "--until-exports", "torchscript-trace")
    done = lintorch(*asked, cwd=project)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert (net.read_text(), layers.read_text()) == (stuck, LAYERS)


POOLED = """\
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.pool = nn.AdaptiveAvgPool2d((2, None))

    def forward(self, x):
        return self.pool(self.conv(x))
"""


def test_a_fix_that_only_rounds_otherwise_makes_an_export_right(project: Path) -> None:
    (project / "net" / "net.py").write_text(POOLED)
    asked = ("fix", "net/net.py", "--until-exports", "onnx-legacy", "--diff")
    done = lintorch(*asked, cwd=project)
    assert "+        self.pool = AverageCells((2, None))\n" in done.stdout, done.stderr


ROUNDED_TWICE = """\
import math

import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, kernel=8, stride=4, times=2):
        super().__init__()
        self.kernel, self.stride, self.times = kernel, stride, times
        self.conv = nn.Conv1d(1, 1, 1)

    def count(self, length):
        length = math.ceil(length * self.times)
        for _ in range(2):
            length = math.ceil((length - self.kernel) / self.stride) + 1
            length = max(length, 1)
        return length

    def forward(self, sound):
        return F.interpolate(self.conv(sound), size=self.count(sound.shape[-1]))
"""
RIGHT = """from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 1, 1)

    def forward(self, sound):
        return self.conv(sound).relu()
"""
WHOLE = """\
        length = length * self.times
        for _ in range(2):
            length = (length - self.kernel + self.stride - 1) // self.stride + 1
"""


def test_fixes_go_in_that_wait_behind_a_number_that_an_export_keeps(project: Path) -> None:
    net = project / "net" / "net.py"
    net.write_text(ROUNDED_TWICE)
    done = lintorch("fix", "net/net.py", "--until-exports", "torchscript-trace", cwd=project)
    assert done.returncode == 0, done.stderr
    assert WHOLE in net.read_text()


@pytest.mark.parametrize("exporter", ["torch.export", "torchscript-trace"])
def test_an_export_that_is_right_already_is_left_alone(exporter: str, project: Path) -> None:
    (project / "net" / "net.py").write_text(RIGHT)
    done = lintorch("fix", "net/net.py", "--until-exports", exporter, cwd=project)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert f"{exporter} is right already" in done.stderr


def test_what_keeps_a_model_from_being_exported_is_told(project: Path) -> None:
    (project / "net" / "net.py").write_text("import torch\nclass Net(\n")
    done = lintorch("fix", "net/net.py", "--until-exports", "torchscript-trace", cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "net/net.py:2: LT001 syntax-error: this is not valid Python" in done.stderr


BACKWARD = """import torch
from torch import nn


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return torch.mul(gradient, 2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, image):
        return Twice.apply(self.conv(image))
"""


def test_a_line_of_the_backward_pass_is_run_too(project: Path) -> None:
    (project / "net" / "net.py").write_text(BACKWARD)
    (project / "net" / "helpers.py").unlink()
    found, _ = verify(project)
    assert [each["fix"]["verified"] for each in found] == [True]


DATED = """import time

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, folder):
        super().__init__()
        self.folder = folder
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, image):
        return torch.mul(self.conv(image), 2)


if __name__ == "__main__":
    model = Net("runs/" + str(time.time_ns()))
"""


def test_a_model_that_is_told_the_time_of_day_is_built_the_same_way(project: Path) -> None:
    (project / "net" / "net.py").write_text(DATED)
    (project / "net" / "helpers.py").unlink()
    found, _ = verify(project)
    assert [each["fix"]["verified"] for each in found] == [True]


CUT = """import torch
from torch import nn
from torch.autograd import Variable


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        y = self.conv(x)
        return x.sum() + Variable(torch.atan2(y.data, y.data))
"""


def test_a_fix_behind_another_of_its_line_is_told_too(project: Path) -> None:
    (project / "net" / "net.py").write_text(CUT)
    (project / "net" / "helpers.py").unlink()
    found, _ = verify(project, "--select", "LT115,LT606")
    fixes = {each["code"]: each["fix"] for each in found}
    assert {code: fix["verified"] for code, fix in fixes.items()} == {"LT115": True, "LT606": True}


def test_rows_are_those_of_python_and_not_of_form_feeds() -> None:
    before = 'import torch\n\x0c\nx = "a\u2028b\x85"\n\x0c\ny = torch.mul(x, 2)\n'
    text = before.replace("import torch\n", "import math\nimport torch\n")
    start = text.index("mul")
    rows = list_fixed_rows(before, text, [Edit(start, start + 3, "multiply")])
    assert rows == (frozenset({5}),)
