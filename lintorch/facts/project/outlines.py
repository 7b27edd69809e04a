"""What other files of the project define: enough to follow a base class or a re-export across files."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from lintorch.core.file_views import Stamp, read_bytes, stamp_file
from lintorch.facts.project.module_homes import module_home
from lintorch.syntax.python_ast import parse_or_empty

_KEPT = 1 << 14
"""Outlines that are kept, at most."""


@dataclass(frozen=True)
class ClassOutline:
    """A class of another file: the dotted names of its bases and the names of its methods."""

    bases: tuple[str, ...]
    methods: frozenset[str]


@dataclass(frozen=True)
class Outline:
    """The top level of a module of the project."""

    path: str
    names: Mapping[str, str] = field(default_factory=dict)
    """Imported and assigned names with the dotted name each stands for."""
    classes: Mapping[str, ClassOutline] = field(default_factory=dict)
    functions: frozenset[str] = frozenset()
    aliases: frozenset[str] = frozenset()
    """Those of `names` that are assigned, from a name of this module."""
    stars: tuple[str, ...] = ()
    """The modules that it imports everything from, the last first."""


def outline_file(path: str) -> Outline:
    """The outline of a file; an empty one where it cannot be read or parsed."""
    return _outline_stamped(path, stamp_file(path))


@lru_cache(_KEPT)
def _outline_stamped(path: str, stamp: Stamp) -> Outline:
    try:
        return outline_module(parse_or_empty(read_bytes(path)).body, path)
    except OSError:
        return Outline(path)


def outline_module(body: list[ast.stmt], path: str) -> Outline:
    """The outline of a module that is parsed already."""
    package = module_home(path).package
    names: dict[str, str] = {}
    classes: dict[str, ClassOutline] = {}
    functions: set[str] = set()
    aliases: set[str] = set()
    stars: list[str] = []
    for statement in _top_level(body):
        if isinstance(statement, ast.ClassDef):
            classes[statement.name] = _class(statement)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions.add(statement.name)
        else:
            given = _named(statement, package)
            star = given.pop("*", "")
            stars += [star.removesuffix(".*")] if star else []
            names |= given
            aliases |= given.keys() if isinstance(statement, ast.Assign) else set()
    last_first = tuple(reversed(stars))
    return Outline(path, names, classes, frozenset(functions), frozenset(aliases), last_first)


def _top_level(body: list[ast.stmt]) -> list[ast.stmt]:
    flat: list[ast.stmt] = []
    for statement in body:
        flat.append(statement)
        for block in ("body", "orelse", "handlers"):
            if isinstance(statement, (ast.If, ast.Try)):
                flat += _top_level(
                    [s for s in getattr(statement, block, []) if isinstance(s, ast.stmt)]
                )
    return flat


def _class(node: ast.ClassDef) -> ClassOutline:
    plain = (b.value if isinstance(b, ast.Subscript) else b for b in node.bases)
    bases = tuple(ast.unparse(b) for b in plain if isinstance(b, (ast.Name, ast.Attribute)))
    methods = {s.name for s in node.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}
    return ClassOutline(bases, frozenset(methods))


def _named(statement: ast.stmt, package: str) -> dict[str, str]:
    if isinstance(statement, ast.Import):
        return {a.asname or a.name.split(".")[0]: a.name if a.asname else a.name.split(".")[0]
                for a in statement.names}  # fmt: skip
    if isinstance(statement, ast.ImportFrom):
        origin = statement.module or ""
        if statement.level:
            parts = package.split(".") if package else []
            kept = parts[: len(parts) - statement.level + 1]
            origin = ".".join([*kept, *([origin] if origin else [])])
        return {a.asname or a.name: f"{origin}.{a.name}" for a in statement.names}
    if isinstance(statement, ast.Assign) and isinstance(statement.value, (ast.Name, ast.Attribute)):
        value = ast.unparse(statement.value)
        return {t.id: value for t in statement.targets if isinstance(t, ast.Name)}
    return {}
