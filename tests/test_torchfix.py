"""For who comes from TorchFix or flake8: the codes they know, and the place they are used to."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import tomllib
from running import CHECKOUT, OWN, codes, lintorch

from lintorch.catalog import build_catalog
from lintorch.core.torchfix_codes import RULES

LOAD = "import torch\n\n\ndef read(path):\n    return {}\n"
UNSAFE = "torch.load(path, weights_only=False)"


def test_every_code_of_torchfix_stands_for_rules_that_there_are() -> None:
    names = set(build_catalog().names.values())
    assert {name for found in RULES.values() for name in found} <= names


@pytest.mark.parametrize(
    ("line", "left"),
    [
        (f"{UNSAFE}  # noqa: TOR102", []),
        (f"{UNSAFE}  # noqa: E501, tor102", []),
        (f"{UNSAFE}  # lintorch: ignore[TOR102]", []),
        (f"{UNSAFE}  # noqa: TOR101", ["LT701"]),
        ("torch.load(path)  # noqa: TOR102", []),
        ("torch.load(path)  # noqa: TOR999", []),
        ("torch.load(path)  # lintorch: ignore[TOR102]", ["LT003"]),
        ("torch.load(path)  # lintorch: ignore[TOR999]", ["LT004"]),
    ],
)
def test_its_codes_suppress_what_reports_the_same(
    tmp_path: Path, line: str, left: list[str]
) -> None:
    (tmp_path / "net.py").write_text(LOAD.format(line))
    assert codes("net.py", cwd=tmp_path) == left


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--select", "TOR102"], ["LT701"]),
        (["--select", "TOR0,TOR1,TOR2"], ["LT601", "LT701"]),
        (["--select", "TOR203"], []),
        (["--ignore", "TOR1"], []),
        (["--select", "TOR", "--ignore", "tor102"], ["LT601"]),
        (["--select", "TOR1", "--ignore", "unsafe-load"], ["LT601"]),
    ],
)
def test_its_codes_select_rules(tmp_path: Path, options: list[str], found: list[str]) -> None:
    (tmp_path / "net.py").write_text(LOAD.format(UNSAFE) + "\n\nroots = torch.symeig(1)\n")
    assert sorted(codes(*options, "net.py", cwd=tmp_path)) == found


def test_settings_take_its_codes_too(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(LOAD.format(UNSAFE))
    (tmp_path / "lintorch.toml").write_text('per-file-ignores = { "*.py" = ["TOR102"] }\n')
    assert codes("net.py", cwd=tmp_path) == []
    done = lintorch("check", "--select", "TOR999", cwd=tmp_path)
    assert done.returncode == 2
    assert "no rule is `TOR999`" in done.stderr


def flake8(project: Path, *arguments: str, stdin: str = "") -> list[str]:
    pytest.importorskip("flake8")
    if not any(each.name == "LT" for each in entry_points(group="flake8.extension")):
        plugin = "LT = lintorch.cli.flake8_plugin:Plugin"  # an installation brings it along
        (project / ".flake8").write_text(f"[flake8:local-plugins]\nextension = {plugin}\n")
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--jobs=1", "--select=LT", *arguments],
        cwd=project,
        input=stdin,
        env={**os.environ, **OWN, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
    )
    assert not done.stderr, done.stderr
    return [
        line.partition(" ")[0] + line.partition(" ")[2][:5] for line in done.stdout.splitlines()
    ]


def test_flake8_tells_what_lintorch_finds(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(LOAD.format(UNSAFE))
    (tmp_path / "excused.py").write_text(LOAD.format(f"{UNSAFE}  # noqa: LT701"))
    assert flake8(tmp_path, ".") == ["./net.py:5:12:LT701"]
    assert flake8(tmp_path, "-", stdin=LOAD.format(UNSAFE)) == ["stdin:5:12:LT701"]
    (tmp_path / "lintorch.toml").write_text('ignore = ["unsafe-load"]\n')
    assert flake8(tmp_path, ".") == []


def test_flake8_finds_the_plugin_where_lintorch_is_installed() -> None:
    told = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
    entry = told["project"]["entry-points"]["flake8.extension"]["LT"]
    module, _, name = entry.partition(":")
    assert getattr(importlib.import_module(module), name).name == "lintorch"
