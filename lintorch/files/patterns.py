"""Patterns as in a `.gitignore`, asked one path at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from lintorch.files.glob import translate


@dataclass(frozen=True)
class _Pattern:
    ignores: bool
    only_folders: bool
    by_name: bool
    """Without a slash a pattern is about the last part of a path, else about all of it."""
    expression: str


@dataclass(frozen=True)
class Patterns:
    """The lines of one `.gitignore`; paths are relative to its folder, with forward slashes."""

    lines: tuple[str, ...]

    def verdict(self, path: str, folder: bool = False) -> bool | None:
        """Whether a path is ignored, by the last line that matches it; None where none does.

        Of a path in an ignored folder the folder must be asked too, or use `covers`.
        """
        if not self._any.fullmatch(path):
            return None
        name = path.rpartition("/")[2]
        for pattern, matches in self._compiled:
            if pattern.only_folders and not folder:
                continue
            if matches.fullmatch(name if pattern.by_name else path):
                return pattern.ignores
        return None

    def covers(self, path: str) -> bool:
        """Whether a file is ignored, itself or through a folder it lies in."""
        parts = path.split("/")
        folders = ("/".join(parts[:n]) for n in range(1, len(parts)))
        return any(self.verdict(f, folder=True) for f in folders) or bool(self.verdict(path))

    @cached_property
    def _compiled(self) -> list[tuple[_Pattern, re.Pattern[str]]]:
        """The last line first."""
        parsed = [p for line in reversed(self.lines) if (p := _parse(line))]
        return [(p, re.compile(p.expression, re.DOTALL)) for p in parsed]

    @cached_property
    def _any(self) -> re.Pattern[str]:
        """Matches every path that some line might match: one cheap test for all others."""
        return re.compile("|".join(self._alternatives()) or "(?!)", re.DOTALL)

    def _alternatives(self) -> Iterator[str]:
        for pattern, _ in self._compiled:
            yield f"(?:.*/)?(?:{pattern.expression})" if pattern.by_name else pattern.expression


def from_text(text: str) -> Patterns:
    """The patterns of the text of a `.gitignore`."""
    return Patterns(tuple(_lines(text.removeprefix("\ufeff").split("\n"))))


def _lines(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        bare = line.removesuffix("\r")
        if bare and not bare.startswith("#"):
            yield bare


def _parse(line: str) -> _Pattern | None:
    line = _trimmed(line)
    ignores = not line.startswith("!")
    line = line if ignores else line[1:]
    only_folders = line.endswith("/")
    line = line.removesuffix("/")
    by_name = "/" not in line
    expression = translate(line.removeprefix("/"))
    return _Pattern(ignores, only_folders, by_name, expression) if expression else None


def _trimmed(line: str) -> str:
    """Without trailing spaces; one behind a backslash is meant."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if escapes % 2 and len(bare) < len(line) else bare
