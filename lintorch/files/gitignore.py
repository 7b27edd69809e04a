"""What git ignores in a tree: its `.gitignore` files, and `info/exclude` of the repository."""

from __future__ import annotations

import os
from dataclasses import dataclass

from lintorch.files.patterns import Patterns, from_text


@dataclass(frozen=True)
class Ignored:
    """The patterns that hold in a folder; the innermost has the word, then those around it."""

    stack: tuple[tuple[str, Patterns], ...] = ()
    """Absolute folders, innermost last, each with the patterns relative to it."""

    def holds(self, path: str, folder: bool) -> bool:
        """Whether git ignores an absolute path, apart from the folders it lies in."""
        for base, patterns in reversed(self.stack):
            inner = path[len(base) :].replace(os.sep, "/").lstrip("/")
            verdict = patterns.verdict(inner, folder)
            if verdict is not None:
                return verdict
        return False

    def within(self, folder: str) -> Ignored:
        """The patterns that hold in a folder below; a repository of its own starts anew."""
        stack = self.stack
        if os.path.lexists(os.path.join(folder, ".git")):
            stack = _patterns(folder, _exclude_file(folder))
        return Ignored(stack + _patterns(folder, os.path.join(folder, ".gitignore")))


def above(folder: str) -> Ignored:
    """The patterns that hold at an absolute folder by those around it; none outside a repository."""
    outer = [folder]
    while not os.path.lexists(os.path.join(outer[-1], ".git")):
        parent = os.path.dirname(outer[-1])
        if parent == outer[-1]:
            return Ignored()
        outer.append(parent)
    ignored = Ignored()
    for each in reversed(outer[1:]):
        ignored = ignored.within(each)
    return ignored


def _patterns(folder: str, file: str) -> tuple[tuple[str, Patterns], ...]:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            return ((folder, from_text(stream.read())),)
    except OSError:
        return ()


def _exclude_file(folder: str) -> str:
    """`info/exclude` of a repository, also where `.git` is a file that points to it."""
    git = os.path.join(folder, ".git")
    if os.path.isfile(git):
        git = os.path.join(folder, _word(git).removeprefix("gitdir:").strip())
        git = os.path.join(git, _word(os.path.join(git, "commondir")))
    return os.path.join(git, "info", "exclude")


def _word(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read().strip()
    except OSError:
        return ""
