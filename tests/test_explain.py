"""`lintorch explain`: what it shows of a line, in which ways, and what it says where there is nothing."""

from __future__ import annotations

import json
from pathlib import Path

from running import lintorch

HELPERS = """
def window_reverse(windows, size):
    rows = windows.shape[2] // size
    return rows


def never_called(x):
    return x + 1
"""
NET = """
import torch
from torch import nn

from helpers import window_reverse


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, padding=1)

    def forward(self, x):
        x = self.conv(x)
        return x, window_reverse(x, 7)


class Net(nn.Module):
    def __init__(self, widths=(8, 8, 16)):
        super().__init__()
        self.blocks = nn.ModuleList([Block(width) for width in widths])

    def forward(self, x):
        return [block(x) for block in self.blocks]
"""


def explain(tmp_path: Path, place: str, *options: str) -> tuple[int, str, str]:
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "net.py").write_text(NET)
    done = lintorch("explain", place, *options, cwd=tmp_path)
    return done.returncode, done.stdout, done.stderr


def test_a_line_is_told_once_for_each_way_that_differs(tmp_path: Path) -> None:
    assert explain(tmp_path, "net.py:14") == (
        0,
        "line 14: Net.forward → Block.forward  (2 times)\n"
        "  x: tensor[B, 8, x.H, x.W]\n"
        "  self.conv: torch.nn.Conv2d(3, 8, 3, padding=1)\n"
        "  x: tensor[B, 3, x.H, x.W]\n"
        "\n"
        "line 14: Net.forward → Block.forward\n"
        "  x: tensor[B, 16, x.H, x.W]\n"
        "  self.conv: torch.nn.Conv2d(3, 16, 3, padding=1)\n"
        "  x: tensor[B, 3, x.H, x.W]\n",
        "",
    )


def test_a_helper_is_reached_by_the_models_of_files_that_import_it(tmp_path: Path) -> None:
    code, shown, _ = explain(tmp_path, "helpers.py:3")
    assert (code, shown.splitlines()[:2]) == (
        0,
        [
            "line 3: Net.forward → Block.forward → window_reverse  (2 times)",
            "  rows: int x.H // 7 (varies)",
        ],
    )
    assert "Block.forward → window_reverse" in explain(tmp_path, "helpers.py:3", "net.py")[1]


def test_json_gives_each_context(tmp_path: Path) -> None:
    contexts = json.loads(explain(tmp_path, "net.py:14", "--output-format", "json")[1])
    assert [each["times"] for each in contexts] == [2, 1]
    first = contexts[0]
    assert (first["model"], first["row"]) == ("net.py:Net", 14)
    assert first["way"] == ["Net", "Net.forward", "Block.forward"]
    assert first["values"][0] == {
        "text": "x",
        "assigned": True,
        "values": ["tensor[B, 8, x.H, x.W]"],
    }


def test_what_no_model_reaches_is_followed_by_itself(tmp_path: Path) -> None:
    code, shown, said = explain(tmp_path, "helpers.py:8")
    assert (code, shown.splitlines()[0]) == (0, "line 8: never_called")
    assert said == (
        "lintorch: helpers.py:8: never_called is not reached by the models found: Net;"
        " it is followed by itself\n"
    )


def test_why_nothing_is_known_is_said(tmp_path: Path) -> None:
    assert explain(tmp_path, "net.py:1")[::2] == (2, "lintorch: net.py:1: there is no statement\n")
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert "broken.py cannot be parsed" in explain(tmp_path, "broken.py:1")[2]
    assert explain(tmp_path, "lost.py:1")[::2] == (
        2,
        "lintorch: lost.py: No such file or directory\n",
    )
    (tmp_path / "plain.py").write_text("def f(x):\n    return x\n")
    assert "no model was found" in explain(tmp_path, "plain.py:2")[2]
