"""Which interpreter runs models: named, set, active, or beside the project; and only where models run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import lintorch

NET = """import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""
WHOLE = """from paired import pair
from torch import nn


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(8, 8)

    def forward(self, x):
        return self.f(x)


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.part, self.size = Part(), pair(8)[0]

    def forward(self, x):
        return self.part(x)[:, : self.size]
"""
NONE = {"VIRTUAL_ENV": "", "CONDA_PREFIX": "", "CONDA_DEFAULT_ENV": ""}
PYTHON = "Scripts/python.exe" if os.name == "nt" else "bin/python"


def environment(folder: Path) -> Path:
    """A virtual environment that has nothing at all; its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / PYTHON


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an environment beside it, and a file in a folder of its own."""
    root = tmp_path / "project"
    (root / "nets").mkdir(parents=True)
    (root / "nets/net.py").write_text(NET)
    environment(root / ".venv")
    return root


def told(*arguments: object, cwd: Path, **variables: str) -> str:
    """What is said of an interpreter that has no torch."""
    done = lintorch(*arguments, cwd=cwd, **{**NONE, **variables})
    assert done.returncode == 2, done.stdout
    assert "All checks passed!" not in done.stdout
    return done.stderr


@pytest.mark.parametrize("named", [f".venv/{PYTHON}", f"./.venv/{PYTHON}", ".venv", ".venv/",
                                   f"nets/../.venv/{PYTHON}", f"~/.venv/{PYTHON}", "~/.venv"])  # fmt: skip
def test_a_relative_path_is_of_where_lintorch_was_started(project: Path, named: str) -> None:
    said = told(
        "models", "--python", named, cwd=project, HOME=str(project), USERPROFILE=str(project)
    )
    assert f"{Path('.venv', PYTHON)} has no torch" in said
    assert "(named by --python)" in said


def test_a_setting_is_of_its_own_folder(project: Path) -> None:
    (project / "lintorch.toml").write_text(f'python = ".venv/{PYTHON}"\n')
    (project / ".venv").rename(project / "env")
    (project / "lintorch.toml").write_text(f'python = "env/{PYTHON}"\n')
    for command in (("models",), ("export",), ("check", "--trace")):
        said = told(*command, cwd=project / "nets")
        assert f"{Path('env', PYTHON)} has no torch" in said
        assert "named by `python` in " in said


def test_a_bare_name_is_looked_up_as_a_shell_does(project: Path) -> None:
    (project / "python3").write_text("no program\n")
    path = os.pathsep.join([str((project / ".venv" / PYTHON).parent), os.environ["PATH"]])
    said = told(
        "models", "--python", "python3" if os.name != "nt" else "python", cwd=project, PATH=path
    )
    assert str(project / ".venv") in said


def test_the_layout_of_windows_is_known(project: Path) -> None:
    (project / "env/Scripts").mkdir(parents=True)
    there = project / "env/Scripts/python.exe"
    if os.name == "nt":
        shutil.copy(sys.executable, there)
    else:
        there.symlink_to(project / ".venv" / PYTHON)
    assert f"{there} has no torch" in told("models", "--python", "env", cwd=project)


def test_one_that_is_not_there_is_named_with_who_named_it(project: Path) -> None:
    said = told("models", "--python", "gone/bin/python", cwd=project)
    assert said == (
        "lintorch: cannot start gone/bin/python (--python): no interpreter is at "
        f"{project}/gone/bin/python\n"
    )
    checked = lintorch("check", "--trace", "--python", "gone", cwd=project)
    assert checked.returncode == 2
    assert "No findings in what was checked." in checked.stdout


def test_one_of_an_exporter_is_told_with_who_named_it(project: Path) -> None:
    pytest.importorskip("torch")
    (project / "lintorch.toml").write_text(f'python.default = "{sys.executable}"\n')
    said = told("export", "--to", "tvm", "--python-for", "tvm=gone", cwd=project)
    assert said.startswith("lintorch: cannot start gone (--python-for tvm): no interpreter is at ")
    (project / "lintorch.toml").write_text(
        f'python = {{ tvm = "nets/../.venv", default = "{sys.executable}" }}\n'
    )
    said = told("export", "--to", "torch.export", "--to", "tvm", cwd=project / "nets")
    assert f"{Path('.venv', PYTHON)} has no torch" in said
    assert "named by `python.tvm` in " in said
    bad = told("export", "--python-for", "tmv=x", cwd=project)
    assert "'tmv' is no EXPORTER=PATH with one of torch.export, " in bad


def share_packages(python: Path) -> Path:
    """Let an environment have what this one has; where it keeps packages of its own."""
    site = subprocess.run(
        [python, "-c", "import site; print(site.getsitepackages()[0])"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    own = [path for path in sys.path if path.endswith("site-packages")]
    Path(site, "torch.pth").write_text("\n".join(own) + "\n")
    return Path(site)


def test_exports_of_several_interpreters_are_one_matrix(project: Path) -> None:
    pytest.importorskip("torch")
    other = project / ".venv" / PYTHON
    share_packages(other)
    done = lintorch(
        *("export", "--to", "torchscript-trace", "--to", "torch.export", "--time"),
        *("--python", sys.executable, "--python-for", f"torch.export={other}"),
        *("--output-format", "json", "nets/net.py"),
        cwd=project,
    )
    record = json.loads(done.stdout)
    assert [each["exporter"] for each in record["trials"]] == ["torchscript-trace", "torch.export"]
    assert {each["status"] for each in record["trials"]} == {"ok"}
    forms = [each["form"] for each in record["models"][0]["timing"]["forms"]]
    assert forms[-2:] == ["eager of torch.export", "torch.export"]


def test_a_part_of_what_runs_elsewhere_alone_is_exported_there(project: Path) -> None:
    pytest.importorskip("torch")
    other = project / ".venv" / PYTHON
    (share_packages(other) / "paired.py").write_text("def pair(n):\n    return n, n\n")
    (project / "nets/whole.py").write_text(WHOLE)
    done = lintorch(
        *("export", "--to", "torchscript-trace", "--to", "torchscript-script"),
        *("--python", sys.executable, "--python-for", f"torchscript-script={other}"),
        *("--output-format", "json", "nets/whole.py"),
        cwd=project,
    )
    trials = json.loads(done.stdout)["trials"]
    assert [(each["model"], each["status"]) for each in trials] == [
        ("nets/whole.py:Part", "ok")
    ] * 2


def test_an_export_that_writes_no_onnx_needs_no_package_of_it(project: Path) -> None:
    pytest.importorskip("torch")
    (project / "onnx.py").write_text("raise ModuleNotFoundError(\"No module named 'onnx'\")\n")
    done = lintorch(
        *("export", "--to", "torch.export", "--python", sys.executable),
        *("--output-format", "json", "nets/net.py"),
        cwd=project,
        PYTHONPATH=str(project),
    )
    (trial,) = json.loads(done.stdout)["trials"]
    assert (trial["status"], trial["message"]) == ("ok", None)


def test_the_one_beside_the_project_is_found(project: Path) -> None:
    unmarked = lintorch("models", "net.py", cwd=project / "nets", **NONE)
    assert "models run with" in unmarked.stderr
    assert "the one that runs lintorch" in unmarked.stderr
    for marker in ("pyproject.toml", ".git", "lintorch.toml"):
        (project / marker).touch()
        said = told("models", "net.py", cwd=project / "nets")
        assert f"{project / '.venv' / PYTHON} has no torch" in said
        assert "(of the project's .venv; --python names another)" in said
        (project / marker).unlink()
    (project / ".venv").rename(project / "venv")
    assert "(of the project's venv;" in told("models", "nets", cwd=project)


def test_a_package_of_a_repository_finds_the_one_at_its_root(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "nets/pyproject.toml").touch()
    assert "(of the project's .venv;" in told("models", cwd=project / "nets")


def test_one_that_is_active_goes_before_and_condas_base_behind(
    project: Path, tmp_path: Path
) -> None:
    active, conda = environment(tmp_path / "active"), environment(tmp_path / "conda")
    (project / "pyproject.toml").touch()
    given = {"VIRTUAL_ENV": str(tmp_path / "active"), "CONDA_PREFIX": str(tmp_path / "conda")}
    assert f"{active} has no torch" in told("models", cwd=project, **given)
    given["VIRTUAL_ENV"] = str(tmp_path / "gone")
    assert f"{conda} has no torch" in told("models", cwd=project, **given)
    given["CONDA_DEFAULT_ENV"] = "base"
    assert "project's .venv" in told("models", cwd=project, **given)
    shutil.rmtree(project / ".venv")
    assert "conda's base environment" in told("models", cwd=project, **given)


def test_models_run_with_the_one_beside_the_project_and_are_told_so(project: Path) -> None:
    (project / "pyproject.toml").touch()
    borrowed = next(
        (project / ".venv").glob("lib/python*/site-packages"), project / ".venv/Lib/site-packages"
    )
    (borrowed / "borrowed.pth").write_text(
        "\n".join(p for p in sys.path if p.endswith("-packages")) + "\n"
    )
    done = lintorch("models", "nets", cwd=project, **NONE)
    assert done.returncode == 0, done.stderr
    assert "nets/net.py:Net" in done.stdout
    python = Path(".venv", PYTHON).as_posix()
    assert f"models run with {python}, of the project's .venv" in done.stderr


def test_no_command_that_only_reads_starts_one(project: Path) -> None:
    sign = project.parent / "sign"
    program = project / ".venv" / PYTHON
    program.unlink()
    program.write_text(f"#!/bin/sh\ntouch '{sign}'\n")
    program.chmod(0o755)
    (project / "lintorch.toml").write_text(f'python = ".venv/{PYTHON}"\n')
    for command in (("check",), ("check", "--fix"), ("rules",), ("targets",), ("rule", "LT101")):
        assert lintorch(*command, cwd=project, **NONE).returncode in (0, 1)
    assert not sign.exists()
    told("models", cwd=project)
    assert sign.exists() == (os.name != "nt")
