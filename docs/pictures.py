"""Walks through the pages that are to be followed, and takes pictures of the terminal.

    python docs/pictures.py                 # all of WALKS, and the pictures of the README
    python docs/pictures.py tensorrt.md README.md

A page's blocks with a title are files, its blocks of `diff` change them, and its indented
lines are commands, run in an empty folder in the page's order. Where a picture from pictures/
follows a command, it is taken of what that command prints. Needs the extra `dev`, and chromium
for the pages of `OF_BROWSER`.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

HERE = Path(__file__).parent
WALKS = ("tutorial.md", "tensorrt.md", "openvino.md", "decoder.md")
OF_README = {"check": "lintorch check segmentation/psp.py --export onnx"}
"""By the picture's name, a command that is run in a copy of examples/."""
OF_BROWSER = {
    "report": (
        "lintorch export segmentation detection --to onnx --to torchscript-trace --html page.html",
        "page.html#model=segmentation/psp.py:PSPNet&exporter=onnx",
    )
}
"""By the picture's name in report.md, a command that is run in a copy of examples/, and the page that it leaves."""
WIDTH = 100
_STEP = re.compile(
    r'^```(?:python|toml) title="(?P<name>.+)"\n(?P<text>(?s:.*?))^```$'
    r'|^```diff title="(?P<changed>.+)"\n(?P<diff>(?s:.*?))^```$'
    r"|(?<=\n\n)(?P<commands>(?:    .+\n)+)(?:\n!\[.*\]\(pictures/(?P<picture>[\w-]+)\.svg\))?",
    re.M,
)
_FONTS = re.compile(r"@font-face \{\{.*?\}\}", re.S)


@dataclass(frozen=True)
class Step:
    """A file that is written or changed, or a command line with the picture that is taken of it."""

    file: str = ""
    text: str = ""
    old: str = ""
    command: str = ""
    picture: str = ""

    def write(self, folder: Path) -> None:
        path = folder / self.file
        if self.old:
            was = path.read_text("utf-8")
            assert was.count(self.old) == 1, f"{self.file} has not once: {self.old}"
            path.write_text(was.replace(self.old, self.text), "utf-8")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.text, "utf-8")


Runner = Callable[[str, Path], subprocess.CompletedProcess[str]]


def read_steps(page: str) -> Iterator[Step]:
    """What who follows a page does, in its order."""
    for found in _STEP.finditer(page):
        if found["name"]:
            yield Step(found["name"], found["text"])
        elif found["changed"]:
            yield Step(found["changed"], _take(found["diff"], "+"), _take(found["diff"], "-"))
        else:
            yield from _read_commands(dedent(found["commands"]), found["picture"] or "")


def _read_commands(lines: str, picture: str) -> Iterator[Step]:
    """What is installed is there already; the picture is that of the last command."""
    *first, last = (line.partition("  #")[0].rstrip() for line in lines.splitlines())
    for line in (*first, last):
        if not line.startswith("pip "):
            yield Step(command=line, picture=picture if line is last else "")


def _take(diff: str, sign: str) -> str:
    """The lines of one side, with those that both sides have."""
    lines = (line for line in diff.splitlines(keepends=True) if line[0] in (" ", sign))
    return "".join(line[1:] for line in lines)


def walk(
    page: str, folder: Path, run: Runner
) -> Iterator[tuple[Step, subprocess.CompletedProcess[str]]]:
    """Do what a page says in a folder; each command with what came of it."""
    for step in read_steps(page):
        if step.command:
            yield step, run(step.command, folder)
        else:
            step.write(folder)


def run_colored(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """As on a terminal that shows colors; a command that could not do its job ends all."""
    own = Path(sys.executable).parent
    environment = {
        **os.environ,
        "FORCE_COLOR": "1",
        "PATH": f"{own}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), f"{command}\n{done.stdout}{done.stderr}"
    return done


def take_picture(name: str, command: str, printed: str) -> None:
    """Draw a terminal; it names no font of another host."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(
        Text.assemble(("$ ", "bold green"), (command, "bold")), Text.from_ansi(printed), sep="\n"
    )
    path = HERE / "pictures" / f"{name}.svg"
    path.parent.mkdir(exist_ok=True)
    drawn = console.export_svg(
        title="", theme=MONOKAI, code_format=_FONTS.sub("", CONSOLE_SVG_FORMAT)
    )
    path.write_text("\n".join(line.rstrip() for line in drawn.splitlines()) + "\n", "utf-8")


def take_page(name: str, page: Path, address: str) -> None:
    """What a browser shows of a page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        program = shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 1280, "height": 1160}, color_scheme="light")
        shown.goto(f"{page.as_uri()}{address}")
        shown.screenshot(path=HERE / "pictures" / f"{name}.png")
        browser.close()


def main(pages: list[str]) -> None:
    """Walk through these pages, or all; README.md stands for its pictures."""
    for page in [page for page in pages or WALKS if page in WALKS]:
        with tempfile.TemporaryDirectory() as folder:
            for step, done in walk((HERE / page).read_text("utf-8"), Path(folder), run_colored):
                if step.picture:
                    take_picture(step.picture, step.command, done.stdout)
    for name, command in OF_README.items() if not pages or "README.md" in pages else ():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(HERE.parent / "examples", folder, dirs_exist_ok=True)
            take_picture(name, command, run_colored(command, Path(folder)).stdout)
    for name, (command, address) in OF_BROWSER.items() if not pages or "report.md" in pages else ():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(HERE.parent / "examples", folder, dirs_exist_ok=True)
            run_colored(command, Path(folder))
            file, mark, place = address.partition("#")
            take_page(name, Path(folder, file), mark + place)


if __name__ == "__main__":
    main(sys.argv[1:])
