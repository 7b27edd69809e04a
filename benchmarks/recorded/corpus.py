"""Packages that nobody here wrote, linted: those of `precision/` that are unpacked already."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from recorded.questions import Question, Questions

CACHE = Path.home() / ".cache" / "lintorch-precision"
_EVERY_RULE = ("--select", "ALL", "--no-cache")


def ask_of_corpus(packages: Sequence[str]) -> Questions:
    """All findings with their fixes, small packages first; `packages` restricts them by name.

    `NAME-fixed.diff` is of the files that have a fix as `NAME.json` says: fixing goes in rounds,
    and what the later ones do stands only there.
    """
    for folder in sorted(CACHE.iterdir(), key=measure_size):
        if packages and folder.name.rpartition("-")[0] not in packages:
            continue
        check = ("check", ".", *_EVERY_RULE, "--output-format", "json")
        found = json.loads((yield Question(f"{folder.name}.json", check, folder)))
        if paths := sorted({each["filename"] for each in found if each["fix"]}):
            mend = ("check", *paths, *_EVERY_RULE, "--diff", "--unsafe-fixes")
            yield Question(f"{folder.name}-fixed.diff", mend, folder)


def measure_size(folder: Path) -> int:
    """Bytes of Python below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*.py"))
