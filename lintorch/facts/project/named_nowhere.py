"""Classes that nothing in a project speaks of, in files of which it uses other classes."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable
from functools import lru_cache

from lintorch.core.file_views import count_looks, stamp_file
from lintorch.facts.project.file_words import list_words, read_or_empty
from lintorch.facts.project.parts_elsewhere import list_around, list_imported
from lintorch.syntax.python_ast import list_nodes, parse_or_empty

_DYNAMIC = re.compile(
    rb"\b(getattr\((?!self\b|torch\b)|globals|import_module|getmembers|instantiate|hydra|[rR]egistry|REGISTRY)|__dict__"
    rb"|(?<![.\w])((eval|exec)\((?!\s*\))|(vars|locals)\()"
)
"""Code that may find a class by a name that is not written there."""
_PUBLISHES = ("setup.py", "pyproject.toml", "setup.cfg")
"""Files of projects that others install: what they offer may be used there."""
_OTHERS = (".ipynb", ".yaml", ".yml", ".json", ".toml", ".gin", ".sh", ".cfg", ".ini")
"""Files that may name a class, too; what is only written about it makes nobody run it."""
_LARGEST = 1 << 20
_MOST_OTHERS = 300
_MOST_FILES = 20_000


def is_named_nowhere(
    name: str, beside: Iterable[str], rest: str, path: str, consulted: set[str]
) -> bool:
    """Whether no file of a project names a class, though one imports a class that stands beside it.

    `rest` is the text of the file without the class itself. Never where a class may be found by
    other than its name, or by who installs the project. What was read is added to `consulted`.
    """
    files, own = list_around(path), os.path.abspath(path)
    if files is None or is_spoken_of(name, rest) or _DYNAMIC.search(rest.encode()):
        return False
    stem = os.path.splitext(os.path.basename(path))[0]
    others = [each for each in files if each != own]
    near = [each for each in others if stem in list_words(each)]
    used = any((stem, each) in list_imported(e, stamp_file(e)) for e in near for each in beside)
    if not used or any(_DYNAMIC.search(read_or_empty(each)) for each in near):
        return False
    naming = [each for each in others if name in list_words(each)]
    if any(is_spoken_of(name, read_or_empty(each).decode(errors="ignore")) for each in naming):
        return False
    told = _list_others(os.path.commonpath([os.getcwd(), own]), count_looks())
    if told is None or any(_publishes(each, own) for each in told):
        return False
    consulted.update(others)
    consulted.update(told)
    word = re.compile(rb"\b%s\b" % name.encode())
    return not any(word.search(read_or_empty(each)) for each in told)


def _publishes(path: str, own: str) -> bool:
    """Whether a file makes a package of the folder that another lies in."""
    folder, name = os.path.split(path)
    return name in _PUBLISHES and own.startswith(os.path.join(folder, ""))


def is_spoken_of(name: str, text: str) -> bool:
    """Whether the code of a file, or a comment, has a word, also as a text; what docstrings say does not count."""
    if not re.search(rf"\b{name}\b", text):
        return False
    if re.search(rf"#.*\b{name}\b", text):
        return True
    tree = parse_or_empty(text)
    return not tree.body or any(name in _list_parts(each) for each in list_nodes(tree))


def _list_parts(node: ast.AST) -> list[str]:
    """The words that a node of code is written with, those of dotted names one by one."""
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.ClassDef(name=word):
            return [word]
        case ast.alias():
            return [*node.name.split("."), node.asname or ""]
        case ast.Constant(str(said)) if _DOTTED.fullmatch(said):
            return re.split(r"[.:/]", said)
    return []


_DOTTED = re.compile(r"[\w.:/-]+")
"""A text that may name something: no sentence."""


@lru_cache(maxsize=16)
def _list_others(root: str, looks: int) -> tuple[str, ...] | None:
    """The files below a folder that are no Python and may name classes, or publish it; None of too many."""
    found: list[str] = []
    seen = 0
    for inner, folders, names in os.walk(root):
        folders[:] = [each for each in folders if not each.startswith(".")]
        told = (each for each in names if each in _PUBLISHES or each.endswith(_OTHERS))
        paths = (os.path.join(inner, each) for each in told)
        found += (e for e in paths if os.path.isfile(e) and os.path.getsize(e) <= _LARGEST)
        seen += len(names)
        if len(found) > _MOST_OTHERS or seen > _MOST_FILES:
            return None
    return tuple(found)
