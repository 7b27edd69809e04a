"""Objects of settings that a file fills: `Settings(**json.load(file))`, where defaults are what nobody keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import Class
from lintorch.syntax.python_ast import list_nodes


def is_filled_openly(machine: Machine, kind: Class) -> bool:
    """Whether the project makes one with arguments that only a run knows."""
    files = (kind.file, *machine.library.mentions(kind.name, kind.file))
    return any(kind.name in _list_filled(each.tree) for each in files)


@keep_beside
def _list_filled(tree: ast.AST) -> frozenset[str]:
    return frozenset(_find_filled(tree))


def _find_filled(tree: ast.AST) -> Iterator[str]:
    """The names of what is called with `**settings`."""
    for each in list_nodes(tree):
        match each:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), keywords=given):
                if any(word.arg is None for word in given):
                    yield name
