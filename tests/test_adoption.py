"""Beginning in code that has findings: baselines, and comparison with a revision of git."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running import lintorch

BAKED = """import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x.view(int(x.size(0)), -1)
"""
GONE = "import torch\n\nroots = torch.symeig(1)\n"


def git(*arguments: object, cwd: Path) -> None:
    identity = ["-c", "user.name=lintorch", "-c", "user.email=lintorch@example.org"]
    subprocess.run(["git", *identity, *map(str, arguments)], cwd=cwd, check=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(BAKED)
    (tmp_path / "old.py").write_text(GONE)
    (tmp_path / "lintorch.toml").write_text('baseline = "known.json"\n')
    return tmp_path


@pytest.fixture
def repository(project: Path) -> Path:
    (project / "lintorch.toml").write_text("")
    git("init", "--quiet", "--initial-branch=main", cwd=project)
    git("add", "--all", cwd=project)
    git("commit", "--quiet", "--message", "As it is", cwd=project)
    return project


def places(*arguments: object, cwd: Path) -> list[str]:
    done = lintorch("check", "--output-format", "json", *arguments, cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return [f"{Path(f['filename']).name}:{f['location']['row']} {f['code']}" for f in found]


def baseline(*arguments: object, cwd: Path) -> str:
    done = lintorch("baseline", *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def entries(project: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((project / "known.json").read_text())["findings"]
    return found


def test_what_is_in_the_baseline_is_not_told(project: Path) -> None:
    assert baseline(cwd=project) == "known.json: 2 findings (2 new, 0 gone)\n"
    done = lintorch("check", cwd=project)
    assert done.returncode == 0
    assert "lintorch: 2 findings in the baseline known.json" in done.stderr


@pytest.mark.parametrize(
    "change",
    [
        "# a licence\n\n" + BAKED,
        BAKED.replace("int(x.size(0))", "int(\n            x.size(0)  # rows\n        )"),
        BAKED.replace("        return", "        x = x + 1\n        return"),
        BAKED.replace("    def", "  def").replace("        return", "    return"),
    ],
    ids=["moved", "laid out", "with a new neighbour", "indented"],
)
def test_code_is_known_wherever_it_stands_in_its_file(project: Path, change: str) -> None:
    baseline(cwd=project)
    (project / "net.py").write_text(change)
    assert places(cwd=project) == []


def test_a_further_finding_on_equal_code_is_new(project: Path) -> None:
    baseline(cwd=project)
    more = BAKED.replace("return", "y = x.view(int(x.size(0)), -1)\n        return y +")
    (project / "net.py").write_text(more)
    assert places(cwd=project) == ["net.py:7 LT101"] or places(cwd=project) == ["net.py:6 LT101"]


def test_code_is_known_in_a_file_that_got_another_name(project: Path) -> None:
    baseline(cwd=project)
    (project / "nets").mkdir()
    (project / "net.py").rename(project / "nets" / "vision.py")
    (project / "old.py").rename(project / "nets" / "old.py")
    (project / "nets" / "old.py").write_text(GONE.replace("roots", "more = 1\nroots"))
    assert places(cwd=project) == []


def test_a_copy_in_another_file_is_new(project: Path) -> None:
    baseline(cwd=project)
    (project / "copy.py").write_text(GONE)
    assert places(cwd=project) == ["copy.py:3 LT601"]
    assert places("copy.py", cwd=project) == ["copy.py:3 LT601"]


def test_entries_whose_finding_is_gone_are_named_and_pruned(project: Path) -> None:
    baseline(cwd=project)
    (project / "old.py").write_text("import torch\n")
    done = lintorch("check", cwd=project)
    assert "1 finding of the baseline is gone (old.py LT601)" in done.stderr
    assert "gone" not in lintorch("check", "net.py", cwd=project).stderr
    assert "gone" not in lintorch("check", "--select", "LT1", cwd=project).stderr
    (project / "new.py").write_text(GONE.replace("1", "2"))
    assert baseline("--prune", cwd=project) == "known.json: 1 findings (0 new, 1 gone)\n"
    assert [entry["file"] for entry in entries(project)] == ["net.py"]
    assert places(cwd=project) == ["new.py:3 LT601"]


def test_a_baseline_keeps_what_it_was_not_asked_about(project: Path) -> None:
    baseline(cwd=project)
    (project / "new.py").write_text(GONE.replace("1", "2"))
    baseline("new.py", cwd=project)
    assert [entry["file"] for entry in entries(project)] == ["net.py", "new.py", "old.py"]


def test_fixing_leaves_what_is_known(project: Path) -> None:
    baseline(cwd=project)
    (project / "more.py").write_text(BAKED.replace("Net", "More"))
    assert lintorch("check", "--fix", cwd=project).returncode == 0
    assert (project / "net.py").read_text() == BAKED
    assert "int(" not in (project / "more.py").read_text()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "there is no such baseline; `lintorch baseline` writes it"),
        ("{", "not a baseline"),
        ("[]", "not a baseline of lintorch"),
        ('{"lintorch-baseline": 9}', "made by another release"),
        ('{"lintorch-baseline": 1, "findings": [{"file": 1}]}', "entry 1 is not one"),
    ],
)
def test_a_baseline_that_is_none_is_told(project: Path, text: str | None, told: str) -> None:
    if text is not None:
        (project / "known.json").write_text(text)
    done = lintorch("check", cwd=project)
    assert done.returncode == 2
    assert told in done.stderr
    assert "known.json" in done.stderr


def test_only_changed_lines_are_told_of(repository: Path) -> None:
    assert places("--diff-base", "HEAD", cwd=repository) == []
    (repository / "old.py").write_text(GONE + "more = torch.symeig(2)\n")
    (repository / "net.py").write_text("# first\n" + BAKED)
    (repository / "new.py").write_text(GONE)
    assert places("--diff-base", "HEAD", cwd=repository) == ["new.py:3 LT601", "old.py:4 LT601"]
    git("mv", "net.py", "vision.py", cwd=repository)
    git("commit", "--quiet", "--all", "--message", "Rename", cwd=repository)
    assert places("--diff-base", "HEAD~1", cwd=repository) == ["new.py:3 LT601", "old.py:4 LT601"]
    assert places("--diff-base", "HEAD", cwd=repository) == ["new.py:3 LT601"]


def test_what_a_change_causes_elsewhere_is_told(repository: Path) -> None:
    helper = "def flat(x):\n    return x.view(int(x.size(0)), -1)\n"
    (repository / "helper.py").write_text(helper)
    (repository / "net.py").write_text(BAKED.replace("x.view(int(x.size(0)), -1)", "x"))
    git("add", "--all", cwd=repository)
    git("commit", "--quiet", "--message", "A helper", cwd=repository)
    calls = BAKED.replace("x.view(int(x.size(0)), -1)", "flat(x)")
    (repository / "net.py").write_text(f"from helper import flat\n{calls}")
    assert places("--diff-base", "HEAD", cwd=repository) == ["helper.py:2 LT101"]


def test_a_branch_is_compared_with_where_it_began(repository: Path) -> None:
    git("checkout", "--quiet", "-b", "work", cwd=repository)
    git("checkout", "--quiet", "main", cwd=repository)
    (repository / "old.py").write_text("import torch\n")
    git("commit", "--quiet", "--all", "--message", "Mend", cwd=repository)
    git("checkout", "--quiet", "work", cwd=repository)
    assert places("--diff-base", "main", cwd=repository) == []


@pytest.mark.parametrize("revision", ["nowhere", "--help"])
def test_an_unknown_revision_is_told(repository: Path, revision: str) -> None:
    done = lintorch("check", f"--diff-base={revision}", cwd=repository)
    assert done.returncode == 2
    assert f"git knows no revision '{revision}'" in done.stderr


def test_outside_a_repository_there_is_nothing_to_compare_with(project: Path) -> None:
    (project / "lintorch.toml").write_text("")
    done = lintorch("check", "--diff-base", "HEAD", cwd=project)
    assert done.returncode == 2
    assert "is in no git repository" in done.stderr
