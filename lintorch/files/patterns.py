"""Patterns as in a `.gitignore`, asked one path at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from lintorch.files.git_wildcards import translate_wildcards

_WILD = re.compile(r"[*?\[\\]")


@dataclass(frozen=True)
class _Pattern:
    ignores: bool
    only_folders: bool
    by_name: bool
    """Without a slash a pattern is about the last part of a path, else about all of it."""
    expression: str
    plain: str = ""
    """The name it is about, where it is about one name: most are, and need no expression."""

    def matches_path(self, path: str, name: str) -> bool:
        if self.plain:
            return name == self.plain
        return bool(self._compiled_expression.fullmatch(name if self.by_name else path))

    @cached_property
    def _compiled_expression(self) -> re.Pattern[str]:
        return re.compile(self.expression, re.DOTALL)


@dataclass(frozen=True)
class Patterns:
    """The lines of one `.gitignore`; paths are relative to its folder, with forward slashes."""

    lines: tuple[str, ...]

    def decide_path(self, path: str, folder: bool = False) -> bool | None:
        """Whether a path is ignored, by the last line that matches it; None where none does.

        Of a path in an ignored folder the folder must be asked too, or use `covers_file`.
        """
        name = path.rpartition("/")[2]
        if name not in self._plain_names and not self._any_line.fullmatch(path):
            return None
        for pattern in self._parsed_lines:
            if pattern.only_folders and not folder:
                continue
            if pattern.matches_path(path, name):
                return pattern.ignores
        return None

    def covers_file(self, path: str) -> bool:
        """Whether a file is ignored, itself or through a folder it lies in."""
        parts = path.split("/")
        folders = ("/".join(parts[:n]) for n in range(1, len(parts)))
        return any(self.decide_path(f, folder=True) for f in folders) or bool(
            self.decide_path(path)
        )

    @cached_property
    def _parsed_lines(self) -> list[_Pattern]:
        """The last line first."""
        return [pattern for line in reversed(self.lines) if (pattern := _parse_line(line))]

    @cached_property
    def _plain_names(self) -> frozenset[str]:
        return frozenset(pattern.plain for pattern in self._parsed_lines if pattern.plain)

    @cached_property
    def _any_line(self) -> re.Pattern[str]:
        """Matches every path that some line might match: one cheap test for all others."""
        return re.compile("|".join(self._line_expressions()) or "(?!)", re.DOTALL)

    def _line_expressions(self) -> Iterator[str]:
        for each in self._parsed_lines:
            if not each.plain:
                yield f"(?:.*/)?(?:{each.expression})" if each.by_name else each.expression


def parse_patterns(text: str) -> Patterns:
    """The patterns of the text of a `.gitignore`."""
    return Patterns(tuple(_pattern_lines(text.removeprefix("\ufeff").split("\n"))))


def _pattern_lines(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        bare = line.removesuffix("\r")
        if bare and not bare.startswith("#"):
            yield bare


def _parse_line(line: str) -> _Pattern | None:
    line = _trim_line(line)
    ignores = not line.startswith("!")
    line = line if ignores else line[1:]
    only_folders = line.endswith("/")
    line = line.removesuffix("/")
    by_name = "/" not in line
    expression = translate_wildcards(line.removeprefix("/"))
    plain = line if by_name and not _WILD.search(line) else ""
    return _Pattern(ignores, only_folders, by_name, expression, plain) if expression else None


def _trim_line(line: str) -> str:
    """Without trailing spaces; one behind a backslash is meant."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if escapes % 2 and len(bare) < len(line) else bare
