"""Names that a fixed file has no more, though another file of the folder imports them from it."""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from twisting.bindings import list_top


def list_missing(
    before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> Iterator[tuple[str, str]]:
    """The file that lost a name, and the name with the file that takes it. Files are told by their stems."""
    lost: dict[str, dict[str, str]] = defaultdict(dict)
    for name, data in before.items():
        if after[name] != data:
            for gone in _list_names(data) - _list_names(after[name]):
                lost[_find_stem(name)][gone] = name
    if not lost:
        return
    words = [stem.encode() for stem in lost]
    for name, data in after.items():
        if any(word in data for word in words):
            for stem, taken in _list_taken(data):
                if taken in lost.get(stem, ()) and lost[stem][taken] != name:
                    yield lost[stem][taken], f"{taken} (taken by {name})"


def _find_stem(name: str) -> str:
    path = PurePath(name)
    return path.parent.name if path.stem == "__init__" else path.stem


def _list_names(data: bytes) -> set[str]:
    tree = _parse(data)
    return list_top(tree) if tree is not None else set()


def _list_taken(data: bytes) -> Iterator[tuple[str, str]]:
    """Pairs of a module's last name and what is imported from it, or read of it."""
    tree = _parse(data)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ImportFrom):
            stem = (node.module or "").rpartition(".")[2]
            yield from ((stem, alias.name) for alias in node.names)
        elif isinstance(node, ast.Attribute):
            held = node.value
            stem = held.id if isinstance(held, ast.Name) else getattr(held, "attr", "")
            yield stem, node.attr


def _parse(data: bytes) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(data)
        except (SyntaxError, ValueError, RecursionError):
            return None
