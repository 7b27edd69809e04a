"""Who runs lintorch decides which code runs: nothing of what is checked does, whatever it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from running import CHECKOUT, OWN, codes, findings, lintorch

NET = """import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x.view(int(x.size(0)), -1)  # lintorch: ignore[LT198, own-rule] ours
"""
RULE = '''"""LT198: a rule of somebody's own."""

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule

rule = Rule(__name__, code="LT198", summary="a class", why="To see whether it is loaded.")


@rule.source(cst.ClassDef)
def in_source(node, source):
    yield Hit(node, "a class")
'''
SETTINGS = """rules = ["lint"]
select = ["LT1", "LT198"]
extend-select = ["own-rule"]
fixable = ["LT198"]
per-file-ignores = { "x.py" = ["LT198"] }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "lint").mkdir(parents=True)
    (tree / "lint/own_rule.py").write_text(RULE)
    (tree / "lintorch.toml").write_text(SETTINGS)
    (tree / "net.py").write_text(NET.partition("  #")[0] + "\n")
    return tree


def test_rules_that_only_settings_name_are_named_once_and_not_loaded(project: Path) -> None:
    (project / "other.py").write_text("import torch\n")
    done = lintorch("check", "--output-format", "concise", cwd=project)
    assert done.returncode == 1
    assert "LT198" not in done.stdout
    assert "LT101" in done.stdout
    assert done.stderr == (
        "lintorch: rules that settings name were not loaded: lint (lintorch.toml); what is checked "
        "does not decide which code runs: --rules lint does\n"
    )


def test_a_settings_file_on_the_command_line_gives_no_leave_either(project: Path) -> None:
    done = lintorch("check", "--config", "lintorch.toml", cwd=project)
    assert "LT198" not in done.stdout
    assert "--rules lint" in done.stderr


def test_codes_of_rules_that_are_not_loaded_are_no_errors(project: Path) -> None:
    (project / "net.py").write_text(NET)
    found = findings(cwd=project)
    assert [f["code"] for f in found] == ["LT101"]


def test_a_wrong_selector_on_the_command_line_is_still_told(project: Path) -> None:
    done = lintorch("check", "--select", "LT198", cwd=project)
    assert done.returncode == 2
    assert "no rule is `LT198`" in done.stderr
    assert "--rules" in done.stderr
    (project / "lintorch.toml").write_text('ignore = ["LT198"]\n')  # names no rules
    assert "no rule is `LT198`" in lintorch("check", cwd=project).stderr


def test_who_runs_lintorch_gives_leave(project: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "lintorch").mkdir(parents=True)
    own = "APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME"
    (home / "lintorch/lintorch.toml").write_text(f"rules = [{json.dumps(str(project / 'lint'))}]\n")
    for options, environment in (
        (("--rules", "lint"), {}),
        (("--rules", project / "lint", "--rules", "lint"), {"LINTORCH_RULES": "lint"}),
        ((), {"LINTORCH_RULES": f"{os.pathsep}lint"}),
        ((), {own: str(home)}),
    ):
        done = lintorch("check", "--output-format=concise", *options, cwd=project, **environment)
        assert "LT198" in done.stdout
        assert done.stderr == ""
        assert "own-rule" in lintorch("rules", *options, cwd=project, **environment).stdout
        page = lintorch("rule", "LT198", *options, cwd=project, **environment)
        assert page.stdout.startswith("# LT198 own-rule")


def test_rules_of_ones_own_are_looked_at_again_when_they_change(project: Path) -> None:
    assert "LT198" in codes("--rules", "lint", cwd=project)
    (project / "lintorch.toml").unlink()
    changed = RULE.replace("LT198", "LT199") + "\n"  # Python tells by the second and the size
    (project / "lint/own_rule.py").write_text(changed)
    assert codes("--rules", "lint", cwd=project) == ["LT199", "LT101"]


def test_the_users_own_settings_hold_where_a_project_has_none(tmp_path: Path) -> None:
    home, tree = tmp_path / "home", tmp_path / "tree"
    for folder in (home / "lintorch", tree):
        folder.mkdir(parents=True)
    own = "APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME"
    (home / "lintorch/lintorch.toml").write_text('ignore = ["LT1"]\n')
    (tree / "net.py").write_text(NET.partition("  #")[0] + "\n")
    assert lintorch("check", cwd=tree, **{own: str(home)}).returncode == 0
    (tree / "lintorch.toml").write_text("opset = 17\n")
    assert lintorch("check", cwd=tree, **{own: str(home)}).returncode == 1


def test_a_folder_that_is_not_there_is_an_error_where_it_was_asked_for(project: Path) -> None:
    done = lintorch("check", "--rules", "gone", cwd=project)
    assert done.returncode == 2
    assert "no such folder of rules" in done.stderr


def test_a_cache_that_came_with_the_tree_hides_nothing(project: Path, tmp_path: Path) -> None:
    homes = [str(tmp_path / name) for name in ("first", "second")]
    variable = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
    told = lintorch("check", cwd=project, **{variable: homes[0]}).stdout
    (project / ".lintorch_cache").mkdir()
    for kept in Path(homes[0], "lintorch").glob("findings-*.json"):
        stored = json.loads(kept.read_text())
        stored["entries"]["net.py"][1:] = []  # as if nothing had been found
        (project / ".lintorch_cache" / kept.name).write_text(json.dumps(stored))
    again = lintorch("check", cwd=project, **{variable: homes[1]})
    assert again.stdout == told
    assert "LT101" in told


# --- a folder of traps

TRAP = "import pathlib\npathlib.Path({sign!r}).write_text(__file__)\n"
MODULES = (
    "torch", "onnx", "libcst", "rich", "click", "tomllib", "tomli", "difflib", "json", "tokenize",
    "multiprocessing", "concurrent", "shutil", "textwrap", "hashlib", "importlib_metadata", "numpy",
    "sitecustomize", "usercustomize", "conftest", "setup", "noxfile", "evil", "unicodedata",
    "traceback", "tempfile", "ast", "pickle", "uuid", "pkg_resources", "fractions", "random",
)  # fmt: skip
EARLY = ("lintorch",)
"""What Python itself takes from the working directory for `python -m lintorch`."""
HOSTILE = """rules = ["lint"]
python = "./program"
select = ["ALL"]

[models.m]
factory = "evil:build"
"""


@pytest.fixture
def traps(tmp_path: Path) -> tuple[Path, Path]:
    """A folder in which whatever runs leaves a sign, and the sign's path."""
    tree, sign = tmp_path / "traps", tmp_path / "sign"
    trap = TRAP.format(sign=str(sign))
    for name in (*MODULES, *EARLY):
        (tree / name).mkdir(parents=True)
        (tree / name / "__init__.py").write_text(trap)
    (tree / "lintorch/__main__.py").write_text(trap)
    for name in ("__init__", "__main__", "manage", "lint/own_rule", "rules/own_rule"):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / f"{name}.py").write_text(trap)
    (tree / "evil-1.0.dist-info").mkdir()
    (tree / "evil-1.0.dist-info/METADATA").write_text("Name: evil\nVersion: 1.0\n")
    (tree / "evil-1.0.dist-info/entry_points.txt").write_text("[lintorch.rules]\nevil = evil\n")
    (tree / "evil.pth").write_text(f"import pathlib; pathlib.Path({str(sign)!r}).touch()\n")
    for program in ("program", ".venv/bin/python", "git", "python"):
        (tree / program).parent.mkdir(parents=True, exist_ok=True)
        (tree / program).write_text(f"#!/bin/sh\ntouch '{sign}'\n")
        (tree / program).chmod(0o755)
    (tree / ".lintorch.toml").write_text(HOSTILE)
    for number in range(60):  # enough for several processes
        (tree / f"net{number}.py").write_text(trap + re.sub(r"\bx\b", f"x{number}", NET))
    return tree, sign


COMMANDS = (
    ("check", "-j", "2"), ("check", "--fix", "--output-format", "json", "net1.py"),
    ("check", "--diff", "--no-cache"), ("rules",), ("rule", "LT101"), ("targets",), ("--version",),
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_of_what_is_checked_runs(
    traps: tuple[Path, Path], command: tuple[str, ...]
) -> None:
    tree, sign = traps
    program = tree.parent / "bin" / "lintorch"
    program.parent.mkdir()
    program.write_text("from lintorch.cli import main\n\nmain()\n")
    done = start([sys.executable, program, *command], tree)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout
    assert not sign.exists(), sign.read_text()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nor_does_it_as_a_module(traps: tuple[Path, Path], command: tuple[str, ...]) -> None:
    tree, sign = traps
    for name in EARLY:
        (tree / name).rename(tree.parent / name)
    done = start([sys.executable, "-m", "lintorch", *command], tree)
    assert done.returncode in (0, 1), done.stderr
    assert not sign.exists(), sign.read_text()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="one process is used there")
def test_nor_in_processes_that_are_spawned(traps: tuple[Path, Path]) -> None:
    tree, sign = traps
    program = tree.parent / "spawning.py"
    program.write_text(
        "from lintorch.cli import main\nfrom lintorch.run import process_pool as pool\n\n"
        "if __name__ == '__main__':\n    pool._START = 'spawn'\n    main()\n"
    )
    done = start([sys.executable, program, "check", "--no-cache", "-j", "2"], tree)
    assert done.stdout.count("LT101 dynamic-size") == 60, done.stderr
    assert not sign.exists(), sign.read_text()


def test_the_traps_work(traps: tuple[Path, Path]) -> None:
    tree, sign = traps
    for name in MODULES:
        start(
            [sys.executable, "-c", f"import sys; sys.modules.pop({name!r}, None); import {name}"],
            tree,
        )
        assert sign.exists(), name
        sign.unlink()
    start([sys.executable, "-m", "lintorch"], tree)
    assert sign.exists()
    sign.unlink()
    lintorch("check", "--rules", "lint", cwd=tree)
    assert sign.exists()


def start(command: list[object], cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), **OWN}
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
