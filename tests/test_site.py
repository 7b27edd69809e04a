"""The documentation as a site: built with every link held, and without another host; its tutorial holds."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from running import CHECKOUT, lintorch

DOCS = CHECKOUT / "docs"
PICTURES: dict[str, Any] = runpy.run_path(str(DOCS / "pictures.py"))
FOREIGN = re.compile(
    r"""<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=["']?(?:https?:)?//|url\(["']?https?:"""
)
"""What a browser would ask another host for without being told to."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as CI is asked to: with `--strict` a link, or an anchor, that leads nowhere is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(
        [*command, "-f", DOCS / "site" / "mkdocs.yml", "-d", folder], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_no_page_asks_another_host_for_anything(site: Path) -> None:
    written = [path for kind in ("html", "css", "svg") for path in site.rglob(f"*.{kind}")]
    assert written
    assert not [path for path in written if FOREIGN.search(path.read_text("utf-8"))]


def test_every_page_is_found_by_search(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    pages = {p.relative_to(DOCS).with_suffix("").as_posix() for p in DOCS.rglob("*.md")}
    assert {f"{page}/" for page in pages if not page.endswith("README")} <= found


def test_code_of_rule_pages_is_shown_as_python(site: Path) -> None:
    page = (site / "rules" / "export" / "dynamic-size" / "index.html").read_text("utf-8")
    assert '<span class="kn">import</span>' in page


def test_the_tutorial_ends_without_findings(tmp_path: Path) -> None:
    """Its commands are run, but for two that show in a trial what is seen all the same: see docs/pictures.py."""

    def run(command: str, folder: Path) -> subprocess.CompletedProcess[str] | None:
        program, *arguments = shlex.split(command)
        left_out = program == "python" or "--export" in arguments
        return None if left_out else lintorch(*arguments, cwd=folder)

    page = (DOCS / "tutorial.md").read_text("utf-8")
    done = [each for _, each in PICTURES["walk"](page, tmp_path, run) if each]
    checked, fixed, exported, after = done
    assert [each.returncode for each in done] == [1, 1, 0, 0], done
    assert {*re.findall(r"^\w+ (LT\d+)", checked.stdout, re.M)} == {"LT101", "LT116"}
    assert "Fixed net.py: LT101" in fixed.stdout
    assert "1 export of 1 model: 1 ok" in exported.stdout
    assert after.stdout.startswith("Checked 2 files\nAll checks passed!")


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{walk}" for walk in PICTURES["WALKS"])])
def test_pictures_are_there_and_are_made_by_the_script(page: str) -> None:
    text = (CHECKOUT / page).read_text("utf-8")
    shown = set(re.findall(r"pictures/([\w-]+)\.svg\)", text))
    made = {step.picture for step in PICTURES["read_steps"](text)} | set(PICTURES["OF_README"])
    assert shown
    assert shown <= made
    assert all((DOCS / "pictures" / f"{name}.svg").is_file() for name in shown)
