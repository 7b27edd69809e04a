"""One command that is put to lintorch, and the ways in which the same files are checked."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Question:
    """Arguments of lintorch, the folder they are given in, and the file that keeps the answer."""

    file: str
    """Relative to the group's folder."""
    arguments: tuple[str, ...]
    folder: Path


Questions = Generator[Question, str, None]
"""Each question is answered with what lintorch printed, for those that follow from it."""


def check_in_two_ways(name: str, folder: Path) -> Questions:
    """All findings with their fixes, and the files as `--fix --unsafe-fixes` would leave them."""
    check = ("check", ".", "--select", "ALL", "--no-cache")
    yield Question(f"{name}.json", (*check, "--output-format", "json"), folder)
    yield Question(f"{name}-fixed.diff", (*check, "--diff", "--unsafe-fixes"), folder)


def check_in_every_way(name: str, folder: Path) -> Questions:
    """The same, and the reports for people and for GitHub, and what the safe fixes would do."""
    yield from check_in_two_ways(name, folder)
    check = ("check", ".", "--select", "ALL", "--no-cache")
    for form in ("full", "concise", "github"):
        yield Question(f"{name}-{form}.txt", (*check, "--output-format", form), folder)
    yield Question(f"{name}-fixed-safely.diff", (*check, "--diff"), folder)
