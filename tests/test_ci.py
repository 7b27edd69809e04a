"""What GitHub and GitLab are given: the action, its scripts, our workflows, and the texts to copy."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from format_schemas import GITLAB
from jsonschema import Draft202012Validator
from published_schemas import ACTION, GITLAB_CI, PRE_COMMIT_CONFIG, SARIF, WORKFLOW, judge_by
from running import CHECKOUT, OWN, warm_environment

WORKFLOWS = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="runners have bash there")
NET = """import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x.view(int(x.size(0)), -1)
"""


def read_yaml(text: str) -> Any:
    """As runners read it: `on` is a word, and no switch."""
    found = yaml.safe_load(text)
    return {"on" if key is True else key: value for key, value in found.items()}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_ones(path: Path) -> None:
    judge_by(WORKFLOW).validate(read_yaml(path.read_text()))


def test_the_action_is_one() -> None:
    action = read_yaml((CHECKOUT / "action.yml").read_text())
    judge_by(ACTION).validate(action)
    text = (CHECKOUT / "action.yml").read_text()
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(action["inputs"])


@pytest.mark.skipif(not shutil.which("actionlint"), reason="pip install -e .[workflows]")
def test_actionlint_has_nothing_to_say() -> None:
    done = subprocess.run(["actionlint"], cwd=CHECKOUT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def _list_fenced(page: str, language: str) -> list[str]:
    text = (CHECKOUT / "docs" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M)


def test_texts_to_copy_are_what_they_are_for() -> None:
    hooks, *workflows, gitlab = map(read_yaml, _list_fenced("ci.md", "yaml"))
    judge_by(PRE_COMMIT_CONFIG).validate(hooks)
    judge_by(GITLAB_CI).validate(gitlab)
    action = read_yaml((CHECKOUT / "action.yml").read_text())
    for workflow in workflows:
        judge_by(WORKFLOW).validate(workflow)
        (job,) = workflow["jobs"].values()
        ours = [s for s in job["steps"] if s.get("uses", "").startswith("lintorch/lintorch@")]
        assert all(step["with"].keys() <= action["inputs"].keys() for step in ours)
        assert ours or "lintorch export" in str(job)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the script of the action writes, by the name of the stream or file, in a project."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("action")
    (folder / "net.py").write_text(NET)
    return run_script(folder, ARGS="--select LT101 .", EXPORT="--to torchscript-trace net.py")


def run_script(folder: Path, **given: str) -> dict[str, str]:
    """The script of the action's step, as the runner starts it."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    files = {name: str(temporary / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    own = {"RUNNER_TEMP": str(temporary), "PROJECT_PYTHON": str(warm_environment()), **files, **OWN}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", str(CHECKOUT / ".ci" / "action" / "check")],
        cwd=folder,
        env={**os.environ, **own, "PATH": path, **given},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    written = {name: Path(file).read_text() for name, file in files.items() if Path(file).exists()}
    sarif = temporary / "lintorch-reports" / "check.sarif"
    return {"out": done.stdout, "sarif": sarif.read_text() if sarif.exists() else "", **written}


@ON_LINUX
def test_the_action_annotates_sums_up_and_reports(ran: dict[str, str]) -> None:
    assert "::warning file=net.py,line=6," in ran["out"]
    assert "exit-code=1\n" in ran["GITHUB_OUTPUT"]
    assert "sarif-file=" in ran["GITHUB_OUTPUT"]
    judge_by(SARIF).validate(json.loads(ran["sarif"]))
    summary = ran["GITHUB_STEP_SUMMARY"]
    assert "| warning | net.py:6:23 | [LT101](https://" in summary
    assert "| net.py:Net | **wrong** |" in summary


@ON_LINUX
def test_the_action_says_that_lintorch_could_not_do_its_job(tmp_path: Path) -> None:
    ran = run_script(tmp_path, ARGS="--select nothing .")
    assert (ran["GITHUB_OUTPUT"], ran["sarif"]) == ("exit-code=2\n", "")


@ON_LINUX
def test_the_job_for_gitlab_reports_what_a_branch_brings(tmp_path: Path) -> None:
    identity = ["git", "-c", "user.name=lintorch", "-c", "user.email=lintorch@example.org"]
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    (origin / "old.py").write_text(NET)
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "As it is"]):
        subprocess.run([*identity, *command], cwd=origin, check=True)
    subprocess.run(["git", "clone", "-q", str(origin), str(clone)], check=True)
    (clone / "new.py").write_text(NET)
    script = read_yaml(_list_fenced("ci.md", "yaml")[-1])["lintorch"]["script"][-1]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    given = {**os.environ, **OWN, "PATH": path, "CI_DEFAULT_BRANCH": "main"}
    done = subprocess.run(["bash", "-c", script], cwd=clone, env=given, capture_output=True)
    assert done.returncode == 1, done.stderr
    issues = json.loads((clone / "gl-code-quality-report.json").read_text())
    Draft202012Validator(GITLAB).validate(issues)
    assert [issue["location"]["path"] for issue in issues] == ["new.py"]
    suites = ElementTree.parse(clone / "lintorch.xml").getroot()
    assert [suite.attrib["name"] for suite in suites] == ["new.py"]
