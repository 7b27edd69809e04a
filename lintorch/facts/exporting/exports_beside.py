"""What a .onnx file is called by whoever writes it, where that is another Python file of the same folder."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import libcst as cst

from lintorch.core.file_views import read_bytes
from lintorch.core.profile import Profile
from lintorch.facts.classes.classes import Classes
from lintorch.facts.exporting.export_calls import HasProfile
from lintorch.facts.exporting.exported_names import ExportedNames, list_exports
from lintorch.facts.exporting.file_keys import identify_file
from lintorch.facts.exporting.session_feeds import is_left_alone
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.project.module_homes import Project
from lintorch.syntax.parsed_file import ParsedFile


class HasNeighbours(HasProfile, Protocol):
    """A file beside which others stand."""

    @property
    def path(self) -> str:
        """Of the file."""

    @property
    def consulted(self) -> set[str]:
        """Files that were looked at, to be added to."""


@dataclass(frozen=True)
class Neighbour:
    """Another file of the folder, read as far as its export calls ask."""

    file: ParsedFile
    profile: Profile
    project: Project

    @cached_property
    def names(self) -> Lookup:
        """What its names stand for."""
        return Lookup(self.file, self.project)

    @cached_property
    def classes(self) -> Classes:
        """Its classes."""
        return Classes(self.file, self.names, self.project)


@dataclass(frozen=True)
class ExportBeside:
    """The names that one file of the folder gives, and which file that is."""

    names: ExportedNames
    writer: str


def find_export_beside(key: Hashable, source: HasNeighbours) -> ExportBeside | None:
    """Who writes the file of a constant path; None where several do, or anybody may write to it otherwise.

    Only in one folder do equal relative paths surely lead to one file.
    """
    if not isinstance(key, str):
        return None
    found: list[ExportBeside | None] = []
    for each in _list_speakers(key, source):
        if each is None or "chdir" in each.file.text or _is_default(key, each):
            return None
        exports = list_exports(key, each)
        name = os.path.basename(each.file.path)
        found += [ExportBeside(names, name) if names is not None else None for names in exports]
        if not is_left_alone(key, each):
            return None
    return found[0] if len(found) == 1 else None


def _list_speakers(key: str, source: HasNeighbours) -> Iterator[Neighbour | None]:
    """The files of the folder that hold the file's name; None for one that cannot be read."""
    project = Project(source.path, source.consulted)
    name = posixpath.basename(key)
    for path in project.list_beside():
        try:
            text = read_bytes(path).decode("utf-8-sig")
            if name in text:
                of_it = Project(path, source.consulted)
                yield Neighbour(ParsedFile(path, text), source.profile, of_it)
        except (OSError, ValueError, RecursionError, cst.ParserSyntaxError):
            yield None


def _is_default(key: str, neighbour: Neighbour) -> bool:
    """Whether a parameter stands for the file where nothing else is given."""
    params = neighbour.file.nodes(cst.Param)
    return any(each.default and identify_file(each.default, neighbour) == key for each in params)
