"""What git ignores in a tree: its `.gitignore` files, and `info/exclude` of the repository."""

from __future__ import annotations

import os
from dataclasses import dataclass

from lintorch.files.patterns import Patterns, parse_patterns


@dataclass(frozen=True)
class IgnoreRules:
    """The patterns that hold in a folder; the innermost has the word, then those around it."""

    stack: tuple[tuple[str, Patterns], ...] = ()
    """Absolute folders, innermost last, each with the patterns relative to it."""

    def is_ignored(self, path: str, folder: bool) -> bool:
        """Whether git ignores an absolute path, apart from the folders it lies in."""
        for base, patterns in reversed(self.stack):
            inner = path[len(base) :].replace(os.sep, "/").lstrip("/")
            verdict = patterns.decide_path(inner, folder)
            if verdict is not None:
                return verdict
        return False

    def rules_within(self, folder: str) -> IgnoreRules:
        """The patterns that hold in a folder below; a repository of its own starts anew."""
        stack = self.stack
        if os.path.lexists(os.path.join(folder, ".git")):
            stack = _read_patterns(folder, _exclude_file(folder))
        return IgnoreRules(stack + _read_patterns(folder, os.path.join(folder, ".gitignore")))


def read_rules_above(folder: str) -> IgnoreRules:
    """The patterns that hold at an absolute folder by those around it; none outside a repository."""
    outer = [folder]
    while not os.path.lexists(os.path.join(outer[-1], ".git")):
        parent = os.path.dirname(outer[-1])
        if parent == outer[-1]:
            return IgnoreRules()
        outer.append(parent)
    ignored = IgnoreRules()
    for each in reversed(outer[1:]):
        ignored = ignored.rules_within(each)
    return ignored


def _read_patterns(folder: str, file: str) -> tuple[tuple[str, Patterns], ...]:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            return ((folder, parse_patterns(stream.read())),)
    except OSError:
        return ()


def _exclude_file(folder: str) -> str:
    """`info/exclude` of a repository, also where `.git` is a file that points to it."""
    git = os.path.join(folder, ".git")
    if os.path.isfile(git):
        git = os.path.join(folder, _read_word(git).removeprefix("gitdir:").strip())
        git = os.path.join(git, _read_word(os.path.join(git, "commondir")))
    return os.path.join(git, "info", "exclude")


def _read_word(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read().strip()
    except OSError:
        return ""
