"""Files that their user, or anything else, changes between the look at them and the fix."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import libcst as cst
import pytest
from running import lintorch

from lintorch.core.finding import Evidence
from lintorch.record.input_notation import describe_inputs
from lintorch.record.model_options import ModelOptions
from lintorch.run import Checked, CheckRequest, check_and_fix
from lintorch.run.list_models import list_models
from lintorch.run.request import ModelsRequest
from lintorch.source import Source

NET = """import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 3, 1)

    def forward(self, x):
        x = self.conv(x)
        return x.view(int(x.size(0)), -1)
"""
MENDED = NET.replace("int(x.size(0))", "x.size(0)")
URL = "https://example.org/weights"
OTHER = f'import torch\n\nURL = "{URL}"\n' + NET
WHILE_RUNNING = "net.py:Net"
"""The step that is told when the model is about to run."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(
    step: str, happens: Callable[[], None], trace: bool = False, fix: bool = True
) -> Checked:
    """A check with fixes during which something happens once, when a step begins."""
    left = [happens]

    def on(told: str) -> None:
        if step in told and left:
            left.pop()()

    request = CheckRequest((".",), models=ModelOptions(trace=trace), fix=fix, no_cache=True)
    whole = check_and_fix(request, on)
    assert not left, "nothing happened"
    return whole


def test_a_file_saved_while_models_run_is_not_written_and_this_is_said(project: Path) -> None:
    net, also = project / "net.py", project / "also.py"
    also.write_text(NET.replace("class Net", "class Also"))
    done = checked(WHILE_RUNNING, lambda: void(net.write_text(OTHER)), trace=True)
    assert net.read_text() == OTHER
    assert "x.view(x.size(0), -1)" in also.read_text()
    assert done.errors == ("net.py: changed while models ran; nothing was written to it",)
    assert [each.path for each in done.result.repaired] == ["also.py"]
    assert [(f.place.path, f.place.row) for f in done.result.findings] == [("net.py", 14)]
    assert done.result.texts["net.py"] == OTHER


def test_without_fix_no_row_of_a_run_is_told_of_another_text(project: Path) -> None:
    net = project / "net.py"
    done = checked(WHILE_RUNNING, lambda: void(net.write_text(OTHER)), trace=True, fix=False)
    (found,) = done.result.findings
    assert (found.evidence, found.place.row) == (Evidence.SOURCE, 11)
    assert done.result.texts["net.py"] == NET
    assert done.errors == ("net.py: changed while models ran; what they said of it is left out",)


def test_what_changes_between_linting_and_the_look_at_its_text_is_linted_anew(
    project: Path,
) -> None:
    """A cache keeps findings by size and time of change, which an editor may keep too."""
    net = project / "net.py"
    moved = NET.replace("import torch\n", "import torch as t\n").replace("torch.nn", "t.nn")
    stays = moved + "#" * (len(NET) - len(moved))
    assert len(stays) == len(NET)
    os.utime(net, ns=(10**18, 10**18))
    for _ in range(2):  # the second run keeps the size and the time
        assert lintorch("check", cwd=project).returncode == 1
    net.write_text(stays)
    os.utime(net, ns=(10**18, 10**18))
    done = lintorch("check", "--fix", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert net.read_text() == stays.replace("int(x.size(0))", "x.size(0)")


@pytest.mark.parametrize(
    ("happens", "cause"),
    [
        (lambda net: net.unlink(), "No such file"),
        (lambda net: net.write_text(OTHER), "changed"),
        (lambda net: (net.rename("real.txt"), net.symlink_to("real.txt")), "changed"),
        (lambda net: (net.unlink(), net.mkdir()), ""),
    ],
    ids=["deleted", "saved", "linked", "a folder"],
)
def test_what_becomes_of_a_file_before_it_is_written_is_said(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    happens: Callable[[Path], object],
    cause: str,
) -> None:
    """The moment before the new text takes the place of the old one."""
    net, chmod = project / "net.py", os.chmod

    def meanwhile(path: str, mode: int) -> None:
        chmod(path, mode)
        happens(net)

    monkeypatch.setattr(os, "chmod", meanwhile)
    done = check_and_fix(CheckRequest((".",), fix=True, no_cache=True))
    assert len(done.errors) == 1
    assert done.errors[0].startswith("net.py: ")
    assert cause in done.errors[0]
    assert "nothing was written to it" in done.errors[0]
    assert done.result.fixed == 0
    assert not net.is_file() or "int(x.size(0))" in net.read_text()
    assert not list(project.glob("*.tmp"))


def test_settings_saved_while_models_run_keep_what_was_saved(project: Path) -> None:
    settings = project / "pyproject.toml"
    added = '[tool.lintorch.models.Net]\nfactory = "net:Net"\n'

    def on(step: str) -> None:
        settings.write_text(added)

    listed = list_models(ModelsRequest((".",), write=True), on)
    assert [describe_inputs(model.inputs, model.sizes) for model in listed.models]
    assert listed.written == ()
    assert settings.read_text() == added


def void(value: object) -> None:
    """Of a callback that gives nothing."""


def test_a_run_sees_what_other_files_have_become_since_the_last_one(project: Path) -> None:
    told = []
    for line in ("from torch import symeig as eig\n", "from numpy.linalg import eigh as eig\n"):
        (project / "common.py").write_text(line)
        check_and_fix(CheckRequest((".",), no_cache=True), lambda told: None)
        source = Source("net.py", "from common import eig\n\neig(1)\n")
        told.append(source.name(source.nodes(cst.Call)[0].func))
    assert told == ["torch.symeig", "numpy.linalg.eigh"]
