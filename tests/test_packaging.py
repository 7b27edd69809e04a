"""The rules travel with the package however it is installed: really built, really installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent
NEW_RULE = '''"""LT199: a rule that was not there when lintorch was installed."""

from lintorch.core.rule import Rule

rule = Rule(__name__, code="LT199", summary="nothing", why="To see whether it is found.")
'''


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("copy") / "lintorch"
    ignored = shutil.ignore_patterns(".*_cache", ".venv", ".git", "__pycache__", "dist", "build")
    shutil.copytree(CHECKOUT, copy, ignore=ignored)
    return copy


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    """Built from the sdist, as `python -m build` does, so that both are known to hold the rules."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist", ".", cwd=checkout)
    return next(checkout.joinpath("dist").glob("*.whl"))


def environment(folder: Path, *install: object) -> Path:
    """A fresh environment that has lintorch as given and borrows only its dependencies."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    borrowed = next(folder.glob("lib/python*/site-packages"), folder / "Lib/site-packages")
    borrowed.joinpath("borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = next(p for p in (folder / "bin/python", folder / "Scripts/python.exe") if p.exists())
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps"]
    run(*pip, "--no-build-isolation", *install, cwd=folder.parent)
    return python


def codes(python: Path | str, cwd: Path) -> set[str]:
    listed = run(python, "-m", "lintorch", "rules", "--output-format", "json", cwd=cwd)
    return {rule["code"] for rule in json.loads(listed)}


def expected() -> set[str]:
    from lintorch import catalog

    return set(catalog.build_catalog().rules)


def test_a_wheel_holds_the_rules_inside_the_package(wheel: Path, tmp_path: Path) -> None:
    inside = {
        name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("lintorch/rules/")
    }
    assert "lintorch/rules/export/adaptive_pool.py" in inside
    assert "lintorch/rules/api/_retired_names.json" in inside
    assert not any(n.startswith("rules/") for n in zipfile.ZipFile(wheel).namelist())
    python = environment(tmp_path / "venv", wheel)
    assert codes(python, tmp_path) == expected()
    assert "tensorrt-8.6 " in run(python, "-m", "lintorch", "targets", cwd=tmp_path)
    assert any(n.startswith("lintorch/rule_pages/") for n in zipfile.ZipFile(wheel).namelist())


def test_an_index_is_told_where_the_links_of_the_readme_lead(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel)
    [name] = [name for name in files.namelist() if name.endswith("METADATA")]
    links = re.findall(r"\]\(([^)#]+)", files.read(name).decode().partition("\n\n")[2])
    assert links
    assert not [link for link in links if not link.startswith("https://")]


def test_what_is_built_is_fit_for_an_index(wheel: Path) -> None:
    run(
        sys.executable,
        "-m",
        "twine",
        "check",
        "--strict",
        *wheel.parent.iterdir(),
        cwd=wheel.parent,
    )


def test_a_wheel_used_inside_a_checkout_sees_each_rule_once(
    wheel: Path, checkout: Path, tmp_path: Path
) -> None:
    python = environment(tmp_path / "venv", wheel)
    assert codes(python, checkout / "tests") == expected()
    assert codes(python, checkout) == expected()


def test_an_editable_install_sees_a_rule_added_later(checkout: Path, tmp_path: Path) -> None:
    python = environment(tmp_path / "venv", "-e", checkout)
    assert codes(python, tmp_path) == expected()
    added = checkout / "rules/export/added.py"
    added.write_text(NEW_RULE)
    try:
        assert codes(python, tmp_path) == expected() | {"LT199"}
    finally:
        added.unlink()


def test_a_checkout_works_without_being_installed(checkout: Path) -> None:
    assert codes(sys.executable, checkout) == expected()
