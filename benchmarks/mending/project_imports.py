"""The files of a folder that a file imports, by their names, as Python would find them."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path


def list_imported(root: Path, name: str) -> list[str]:
    """All files below the folder that importing this one runs, first come first; not the file itself."""
    found: dict[str, None] = {name: None}
    waiting = [name]
    while waiting:
        own = waiting.pop()
        for other in _list_direct(root, root / own):
            if other not in found:
                found[other] = None
                waiting.append(other)
    return [each for each in found if each != name]


def _list_direct(root: Path, path: Path) -> Iterator[str]:
    for folders, dotted in _list_dotted(root, path):
        for folder in folders:
            base = folder.joinpath(*dotted)
            for file in (base.with_suffix(".py") if dotted else base, base / "__init__.py"):
                if file.is_file() and file.is_relative_to(root):
                    yield str(file.relative_to(root))


def _list_dotted(root: Path, path: Path) -> Iterator[tuple[list[Path], list[str]]]:
    """The folders to look in, and the parts of a module's name, of each import and each name it takes."""
    around = [path.parent, root, root.parent]
    for node in ast.walk(_parse(path)):
        if isinstance(node, ast.Import):
            yield from ((around, alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            folders = [path.parents[node.level - 1]] if node.level else around
            yield folders, parts
            yield from ((folders, [*parts, alias.name]) for alias in node.names)


def _parse(path: Path) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return ast.Module([], [])
