"""How a project uses a class: the names that its instances are given, and whether it exports one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lintorch.guest.imports.notebook_modules import read_source

_EXPORTS = frozenset(
    ("onnx.export", "export.export", "jit.trace", "jit.script", "jit.trace_module")
)
_MOST_BYTES = 1 << 20
"""Of a file that is looked through."""


@dataclass(frozen=True)
class ClassUses:
    """`names` of variables, attributes and arguments that hold instances; `exported`: one is exported."""

    names: frozenset[str] = frozenset()
    exported: bool = False


def read_uses(paths: Iterable[str], name: str) -> ClassUses:
    """How the class of this name is used in files; those that cannot be read say nothing."""
    names: set[str] = set()
    exported = False
    for tree in _parse_mentioning(paths, f"{name}("):
        given = {holder for holder, made in _find_holders(tree) if made == name}
        names |= given
        exported = exported or any(
            _last_name(value) in given or _made_class(value) == name
            for value in _find_exported(tree)
        )
    return ClassUses(frozenset(names - {""}), exported)


def _parse_mentioning(paths: Iterable[str], words: str) -> Iterator[ast.AST]:
    for path in paths:
        try:
            text = read_source(path)
            if words.encode() in text and len(text) <= _MOST_BYTES:
                yield ast.parse(text)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue


def _find_holders(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What each name is given: the last part of the name, and of what was called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield _last_name(target), _made_class(node.value)
        elif isinstance(node, ast.AnnAssign):
            yield _last_name(node.target), _made_class(node.value)
        elif isinstance(node, ast.keyword):
            yield node.arg or "", _made_class(node.value)


def _find_exported(tree: ast.AST) -> Iterator[ast.expr]:
    """What is given first to calls that export."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.args and f"{_last_name(node.func.value)}.{node.func.attr}" in _EXPORTS:
            yield node.args[0]


def _made_class(node: ast.expr | None) -> str:
    """`Net` of `Net(8).cuda().eval()`; "" of what makes nothing."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
            node = node.func.value
        else:
            return _last_name(node.func)
    return ""


def _last_name(node: ast.AST) -> str:
    """`net` of `self.net`."""
    return str(getattr(node, "attr", "") or getattr(node, "id", ""))
