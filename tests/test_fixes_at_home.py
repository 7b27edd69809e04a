"""Fixes of lines in another file than the one whose models lead there."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import lintorch

UTILS = """\
import math

import torch.nn.functional as F


def pad_to(x, step):
    n = x.shape[-1]
    m = n / step
    if m.is_integer():
        return x
    rest = math.ceil(m) * step - n
    return F.pad(x, (0, rest))


def larger(h, w):
    return max(h, w)
"""
NET = """\
from torch import nn
import torch.nn.functional as F

from utils import larger, pad_to


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        x = pad_to(x, 8)
        side = larger(x.shape[2], x.shape[3])
        return self.conv(F.interpolate(x, size=(side, side)))
"""
OTHER = NET.replace("class Net", "class Other").replace(
    "larger(x.shape[2], x.shape[3])", "int(larger(x.shape[2] / 3, x.shape[3] / 3))"
)
TRACED = ("--config", 'exporters=["onnx-legacy"]', "--isolated", "--select", "LT101,LT104,LT164")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "utils.py").write_text(UTILS)
    (tmp_path / "net.py").write_text(NET)
    return tmp_path


def fix(project: Path, *paths: str) -> str:
    lintorch("check", *paths, *TRACED, "--fix", "--unsafe-fixes", cwd=project)
    return (project / "utils.py").read_text()


def test_a_helper_is_fixed_in_its_own_file_in_as_many_rounds_as_it_takes(project: Path) -> None:
    mended = fix(project, ".")
    assert "    rest = -n % step\n    return F.pad(x, (0, rest))\n" in mended
    assert "import math" not in mended
    assert "return w + (h - w) * (" in mended
    assert fix(project, ".") == mended
    assert (project / "net.py").read_text() == NET


def test_nothing_is_promised_of_what_others_may_call(project: Path) -> None:
    lintorch("check", ".", *TRACED, "--fix", cwd=project)
    assert (project / "utils.py").read_text() == UTILS


def test_a_file_by_itself_knows_of_no_model_that_leads_there(project: Path) -> None:
    assert fix(project, "utils.py") == UTILS


def test_a_line_that_another_model_gives_something_else_stays(project: Path) -> None:
    (project / "other.py").write_text(OTHER)
    mended = fix(project, ".")
    assert "return max(h, w)" in mended
    assert "rest = -n % step" in mended


def test_a_file_that_leads_elsewhere_is_fixed_by_its_own_fixes_alone(project: Path) -> None:
    made = "        self.start = torch.FloatTensor(3)\n"
    text = NET.replace("from torch import nn\n", "import torch\nfrom torch import nn\n")
    text = text.replace("        self.conv", f"{made}        self.conv", 1)
    (project / "net.py").write_text(text)
    asked = ("--extend-select", "LT606", "--fix", "--unsafe-fixes")
    done = lintorch("check", "net.py", *TRACED, *asked, cwd=project)
    assert "settle" not in done.stderr
    mended = text.replace("torch.FloatTensor(3)", "torch.empty(3, dtype=torch.float32)")
    assert (project / "net.py").read_text() == mended


def test_comments_of_the_file_that_leads_there_stand_in_no_ones_way(project: Path) -> None:
    comments = ("#" * 77 + "\n") * 9
    (project / "net.py").write_text(comments + NET)
    assert "return w + (h - w) * (" in fix(project, ".")


def test_lines_end_as_they_did(project: Path) -> None:
    (project / "utils.py").write_bytes(UTILS.replace("\n", "\r\n").encode())
    fix(project, ".")
    data = (project / "utils.py").read_bytes()
    assert b"    rest = -n % step\r\n    return F.pad(x, (0, rest))\r\n" in data
    assert data.count(b"\n") == data.count(b"\r\n")
