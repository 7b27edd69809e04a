"""The hooks, tried by pre-commit itself: it clones this checkout, installs it and runs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import interpreter

CHECKOUT = Path(__file__).parent.parent
BAKED = """import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x.view(int(x.size(0)), -1)
"""
PLAIN = BAKED.replace("int(x.size(0))", "x.size(0)")
CONFIG = """repos:
  - repo: {repo}
    rev: {rev}
    hooks:
      - id: {hook}
"""


def git(*arguments: object, cwd: Path) -> str:
    identity = ["-c", "user.name=lintorch", "-c", "user.email=lintorch@example.org"]
    done = subprocess.run(
        ["git", *identity, *map(str, arguments)], cwd=cwd, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Path]:
    """A repository holding the working tree as it is, its revision, and a home for environments."""
    repo = tmp_path_factory.mktemp("hooks") / "lintorch"
    ignored = shutil.ignore_patterns(".*_cache", ".venv", ".git", "__pycache__", "dist", "build")
    shutil.copytree(CHECKOUT, repo, ignore=ignored)
    git("init", "--quiet", cwd=repo)
    git("add", "--all", cwd=repo)
    git("commit", "--quiet", "--message", "As it is", cwd=repo)
    return repo, git("rev-parse", "HEAD", cwd=repo), tmp_path_factory.mktemp("home")


def pre_commit(
    hook: str, hooks: tuple[Path, str, Path], project: Path
) -> subprocess.CompletedProcess[str]:
    repo, rev, _ = hooks
    git("init", "--quiet", cwd=project)
    config = CONFIG.format(repo=repo.as_posix(), rev=rev, hook=hook)
    (project / ".pre-commit-config.yaml").write_text(config)
    (project / "net.py").write_text(BAKED)
    git("add", "--all", cwd=project)
    return run_hooks(hooks, project)


def run_hooks(
    hooks: tuple[Path, str, Path], project: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    _, _, home = hooks
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files", *options],
        cwd=project,
        env={**os.environ, "PRE_COMMIT_HOME": str(home)},
        capture_output=True,
        text=True,
    )


def write_notebook(folder: Path) -> None:
    cells = [{"cell_type": "code", "metadata": {}, "source": BAKED}]
    (folder / "demo.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))


def test_the_hook_stops_a_commit_and_says_why(
    hooks: tuple[Path, str, Path], tmp_path: Path
) -> None:
    done = pre_commit("lintorch", hooks, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "net.py:6:23: warning LT101" in done.stdout
    assert (tmp_path / "net.py").read_text() == BAKED


def test_notebooks_are_given_to_the_hook_and_exclusions_hold(
    hooks: tuple[Path, str, Path], tmp_path: Path
) -> None:
    write_notebook(tmp_path)
    (tmp_path / "lintorch.toml").write_text('extend-exclude = ["net.py"]\n')
    done = pre_commit("lintorch", hooks, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "demo.ipynb:cell 1:6:23: warning LT101" in done.stdout
    assert "net.py" not in done.stdout


def test_exports_are_tried_when_they_are_asked_for(
    hooks: tuple[Path, str, Path], tmp_path: Path
) -> None:
    write_notebook(tmp_path)
    done = pre_commit("lintorch-export", hooks, tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    named = ["--python", interpreter(), "--to", "torch.export"]
    config = (
        tmp_path / ".pre-commit-config.yaml"
    ).read_text() + f"        args: {json.dumps(named)}\n"
    (tmp_path / ".pre-commit-config.yaml").write_text(config)
    done = run_hooks(hooks, tmp_path, "--hook-stage", "manual")
    assert "net.py:Net" in done.stdout, done.stdout + done.stderr
    assert "demo.ipynb:Net" in done.stdout
    assert "torch.export" in done.stdout


def test_the_fixing_hook_mends_the_file(hooks: tuple[Path, str, Path], tmp_path: Path) -> None:
    done = pre_commit("lintorch-fix", hooks, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr  # files were modified
    assert (tmp_path / "net.py").read_text() == PLAIN
