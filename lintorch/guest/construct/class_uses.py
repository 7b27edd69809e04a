"""How a project uses a class: the names that its instances are given, and whether it exports one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lintorch.guest.imports.notebook_modules import is_held, read_source
from lintorch.guest.process.files_read import read_log
from lintorch.record.project_texts import digest_files, match_calls

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
    for tree in _parse_calling(paths, name):
        given = {holder for holder, made in _find_holders(tree) if made == name}
        names |= given
        exported = exported or any(
            _last_name(value) in given or _made_class(value) == name
            for value in _find_exported(tree)
        )
    return ClassUses(frozenset(names - {""}), exported)


def _parse_calling(paths: Iterable[str], name: str) -> Iterator[ast.AST]:
    """The files in whose text the name is called, those that can be parsed."""
    found = list(_list_calling(paths, name))
    read_log.note_calls(name, digest_files(each for each in found if not is_held(each[0])))
    for _, text in found:
        try:
            if len(text) <= _MOST_BYTES:
                yield ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue


def _list_calling(paths: Iterable[str], name: str) -> Iterator[tuple[Path, bytes]]:
    call = match_calls(name)
    with read_log.paused():
        for path in paths:
            with suppress(OSError):
                text = read_source(path)
                if call.search(text):
                    yield Path(path), text


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
