"""Which names of a file other files of its project take from it."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from lintorch.fix.used_names import parse_quietly
from lintorch.run.project_exports import project_files
from lintorch.run.scope import Scope


class Importers:
    """Reads the files around a file when first asked, each once."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._texts: dict[str, list[tuple[str, str]]] = {}

    def names_taken(self, path: str, names: Collection[str]) -> frozenset[str]:
        """Those of the names, bound at the top of a file, that other files take from it."""
        module, own = _TakenModule(_module_stem(path), frozenset(names)), os.path.realpath(path)
        return frozenset(
            name
            for other, text in (self._texts_around(path) if names else ())
            if module.stem in text and os.path.realpath(other) != own
            for name in _names_taken_by(text, module)
        )

    def list_importers(self, path: str) -> list[str]:
        """Other files that speak of a module of the file's name, or of one in its package."""
        folder, own = os.path.dirname(os.path.abspath(path)), os.path.realpath(path)
        stems = {_module_stem(path), os.path.basename(folder)} - {""}
        word = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(stems)))})\b")
        return [
            other
            for other, text in self._texts_around(path)
            if os.path.realpath(other) != own and "import" in text and word.search(text)
        ]

    def _texts_around(self, path: str) -> list[tuple[str, str]]:
        project = self._scope.project_of(path) or os.path.dirname(path) or "."
        if project not in self._texts:
            paths = project_files([project], self._scope.settings_of(path))
            self._texts[project] = [(p, text) for p in paths if (text := _read_leniently(p))]
        return self._texts[project]


@dataclass(frozen=True)
class _TakenModule:
    stem: str
    names: frozenset[str]


def _module_stem(path: str) -> str:
    whole = os.path.abspath(path).removesuffix(".py")
    folder, stem = os.path.split(whole)
    return os.path.basename(folder) if stem == "__init__" else stem


def _names_taken_by(text: str, module: _TakenModule) -> Iterator[str]:
    """Names that a text imports from the module, reads of it, or speaks of as `module.name`."""
    spoken = re.findall(rf"\b{re.escape(module.stem)}\.(\w+)", text)
    yield from module.names.intersection(spoken)
    tree = parse_quietly(text) if "import" in text else None
    if tree is None:
        return
    nodes = list(ast.walk(tree))
    known = {local for node in nodes for local in _local_names(node, module)}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and _ends_in(node.module, module.stem):
            given = {alias.name for alias in node.names}
            yield from module.names if "*" in given else module.names & given
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield from module.names & {node.attr} if node.value.id in known else ()
        elif isinstance(node, ast.Constant) and known:
            yield from module.names & {node.value} if isinstance(node.value, str) else ()


def _local_names(node: ast.AST, module: _TakenModule) -> Iterator[str]:
    """Names that an import gives to the module itself."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            if _ends_in(alias.name, module.stem):
                yield alias.asname or alias.name


def _ends_in(dotted: str | None, stem: str) -> bool:
    """Whether a dotted name is of such a module; `from . import x` may be of any package."""
    return dotted is None or dotted.rpartition(".")[2] == stem


def _read_leniently(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="ignore") as file:
            return file.read()
    except OSError:
        return ""
