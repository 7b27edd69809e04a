"""A fix after which an export is worse is not put in, and that is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import lintorch

RULE = '''"""XY001: functions that other functions take the place of."""

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

OTHERS = {"rows.ask": "rows.keep", "torch.reshape": "rows.lay"}
rule = Rule(
    __name__,
    code="XY001",
    summary="a function",
    why="Another takes its place.",
    bad="""
        import torch


        def flat(x):
            return torch.reshape(x, (-1,))
    """,
    good="""
        import torch
        import rows


        def flat(x):
            return rows.lay(x, (-1,))
    """,
    fix=Applicability.UNSAFE,
)


@rule.source(cst.Call, needs=("rows",))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = OTHERS.get(source.name(call.func) or "")
    if name:
        edits = (source.replace(call.func, name),)
        yield Hit(call, "is another", Fix(name, edits, Applicability.UNSAFE))
'''
ROWS = """\
import torch


def ask(x):  # refused by torch.export, right when traced
    return x.size(0) if bool((x * 0 == 0).all()) else 1


def keep(x):  # right by torch.export, and the example's for good when traced
    return 2 if torch.jit.is_tracing() else x.size(0)


def lay(x, shape):
    return x.reshape(shape)
"""
NET = """\
import torch
import rows
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        x = self.conv(x)
        number = rows.ask(x)
        return torch.reshape(x, (number, -1))
"""
WORSE = "torchscript-trace: ok → wrong"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "another.py").write_text(RULE)
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "rows.py").write_text(ROWS)
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


def test_no_fixes_go_in_after_which_another_export_is_worse(project: Path) -> None:
    asked = ("fix", "net.py", "--rules", "mine", "--until-exports", "torch.export")
    done = lintorch(*asked, cwd=project)
    assert (done.returncode, done.stdout, (project / "net.py").read_text()) == (1, "", NET)
    assert "not put in: torch.export: failed → ok; " in done.stderr
    assert f"{WORSE} (" in done.stderr  # and where it is wrong then


def test_exporters_that_the_project_does_not_use_are_not_heard(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.lintorch]\nexporters = ["torch.export"]\n')
    asked = ("fix", "net.py", "--rules", "mine", "--until-exports", "torch.export")
    done = lintorch(*asked, cwd=project)
    assert done.returncode == 0, done.stderr
    assert "rows.keep(x)" in (project / "net.py").read_text()


def test_verify_leaves_out_the_one_fix_after_which_an_export_is_worse(project: Path) -> None:
    exports = ("--export", "torch.export", "--export", "torchscript-trace")
    asked = ("check", "net.py", "--rules", "mine", "--verify", "--fix", "--unsafe-fixes", *exports)
    done = lintorch(*asked, cwd=project)
    left = (project / "net.py").read_text()
    assert (done.returncode, "number = rows.ask(x)\n        return rows.lay(x" in left) == (
        2,
        True,
    ), done.stderr
    assert "the fix of XY001 (another) was left out: Net: " in done.stderr
    assert WORSE in done.stderr
