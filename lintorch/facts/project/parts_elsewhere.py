"""What other files of the project say: whether a model is a part of others, and what stands beside a name."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import lru_cache

from lintorch.core.code_tree import ANY_BELOW
from lintorch.core.file_views import Stamp, count_looks, stamp_file
from lintorch.facts.project.file_words import KEPT, list_words, read_or_empty
from lintorch.facts.project.handed_over import computes, find_handed_over
from lintorch.facts.project.module_homes import module_home
from lintorch.syntax.python_ast import parse_or_empty

_MOST_FILES = 1500
"""A project of more is not read through."""


def is_part_elsewhere(name: str, path: str, consulted: set[str]) -> bool:
    """Whether a class with a forward of its own, in another file of the project, mentions a name, or is made with one.

    True where the project is too large to tell. Files that the answer stands on are added to `consulted`.
    """
    files = list_around(path)
    if files is None:
        return True
    own = os.path.abspath(path)
    others = [each for each in files if each != own]
    named = [e for e in others if name in list_words(e)]
    spoken = next((e for e in named if name in _names_in_models(e, stamp_file(e))), None)
    return _stands_on(spoken or find_handed_over(name, named, files), others, path, consulted)


def is_taken_by_models(name: str, path: str, consulted: set[str]) -> bool:
    """Whether the constructor of a class with a forward of its own says that it takes one: `backbone: Backbone`.

    False where the project is too large to tell. Files that the answer stands on are added to `consulted`.
    """
    files = list_around(path)
    if files is None:
        return False
    named = (e for e in files if name in list_words(e))
    taking = next((e for e in named if name in _list_taken(e, stamp_file(e))), None)
    return _stands_on(taking, [e for e in files if e != os.path.abspath(path)], path, consulted)


def _stands_on(found: str | None, others: list[str], path: str, consulted: set[str]) -> bool:
    """Whether a file was found that says so: it says so whatever others say, and no without it stands on all."""
    if found is None:
        consulted.update((*others, os.path.join(_look_around(path)[0], ANY_BELOW)))
    else:
        consulted.add(found)
    return found is not None


def is_imported_beside(name: str, words: frozenset[str], path: str, consulted: set[str]) -> bool:
    """Whether another file of the project imports a name from this one, and speaks of any of these words.

    True where the project is too large to tell. Files that the answer stands on are added to `consulted`.
    """
    files = list_around(path)
    if files is None:
        return True
    own, stem = os.path.abspath(path), os.path.splitext(os.path.basename(path))[0]
    stem = os.path.basename(os.path.dirname(own)) if stem == "__init__" else stem
    others = [each for each in files if each != own]
    told = (e for e in others if {name, stem} <= list_words(e) and words & list_words(e))
    importing = (e for e in told if (stem, name) in list_imported(e, stamp_file(e)))
    return _stands_on(next(importing, None), others, path, consulted)


def is_written_in_imported(word: str, path: str, consulted: set[str]) -> bool:
    """Whether a file of the project that another imports from speaks of a word.

    False where the project is too large to tell. Files that the answer stands on are added to `consulted`.
    """
    own = os.path.abspath(path)
    others = [each for each in list_around(path) or () if each != own]
    modules = {name for pair in list_imported(own, stamp_file(own)) for name in pair}
    named = (each for each in others if os.path.splitext(os.path.basename(each))[0] in modules)
    speaking = next((each for each in named if word in list_words(each)), None)
    return _stands_on(speaking, others, path, consulted)


def is_written_around(
    pattern: re.Pattern[bytes], path: str, consulted: set[str], *, if_large: bool = True
) -> bool:
    """Whether any file of the project holds a text.

    `if_large` where the project is too large to tell. Files that were read are added to `consulted`.
    """
    files = list_around(path)
    if files is None:
        return if_large
    consulted.update(each for each in files if each != os.path.abspath(path))
    consulted.add(os.path.join(_look_around(path)[0], ANY_BELOW))
    return any(pattern.search(read_or_empty(each)) for each in files)


def names_no_gpu(name: str, path: str, consulted: set[str]) -> bool:
    """Whether a file lies beside another, or where the run was started, and no storage in it is on a GPU."""
    for folder in (os.path.dirname(os.path.abspath(path)), os.getcwd()):
        there = os.path.normpath(os.path.join(folder, name))
        consulted.add(there)
        if os.path.isfile(there) and 0 < os.path.getsize(there) < _LARGEST:
            with open(there, "rb") as file:
                data = file.read()
            return b"cpu" in data and b"cuda" not in data
    return False


_LARGEST = 64 << 20
"""Bytes of a file that is read."""


@lru_cache(KEPT)
def list_imported(path: str, stamp: Stamp) -> frozenset[tuple[str, str]]:
    """The last names of modules, with what is imported from them or read off them."""
    tree = parse_or_empty(read_or_empty(path))
    found = set()
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom):
            module = (each.module or "").rpartition(".")[2]
            found |= {(module, alias.name) for alias in each.names}
        elif isinstance(each, ast.Import):
            found |= {(alias.name.rpartition(".")[2], "") for alias in each.names}
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            found.add((each.value.id, each.attr))
    return frozenset(found)


def list_around(path: str) -> tuple[str, ...] | None:
    """The Python files where the run was started, else of the outermost package or the file's own folder."""
    return _look_around(path)[1]


def _look_around(path: str) -> tuple[str, tuple[str, ...] | None]:
    """The folder whose files these are, and the files; "" and None where there are too many."""
    for folder in _find_folders(path):
        if (listed := _list_files(folder, count_looks())) is not None:
            return folder, listed
    return "", None


def _find_folders(path: str) -> Iterator[str]:
    home, own, here = module_home(path), os.path.dirname(os.path.abspath(path)), os.getcwd()
    within = os.path.commonpath([here, own]) == here
    if within:
        yield here
    if home.package:
        yield os.path.join(home.roots[0], home.package.partition(".")[0])
    elif not within:
        yield own


@lru_cache(maxsize=16)
def _list_files(folder: str, looks: int) -> tuple[str, ...] | None:
    found: list[str] = []
    for inner, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith((".", "__pycache__"))]
        found += [os.path.join(inner, each) for each in names if each.endswith(".py")]
        if len(found) > _MOST_FILES:
            return None
    return tuple(found)


@lru_cache(KEPT)
def _names_in_models(path: str, stamp: Stamp) -> frozenset[str]:
    """The names that the classes of a file speak of, of those that compute something."""
    tree = parse_or_empty(read_or_empty(path))
    return frozenset(
        name for each in ast.walk(tree) if isinstance(each, ast.ClassDef) for name in _spoken(each)
    )


@lru_cache(KEPT)
def _list_taken(path: str, stamp: Stamp) -> frozenset[str]:
    """The names in the annotations of what constructors take, of the classes of a file that compute something."""
    tree = parse_or_empty(read_or_empty(path))
    kinds = (each for each in ast.walk(tree) if isinstance(each, ast.ClassDef) and computes(each))
    makers = (f for each in kinds for f in each.body if isinstance(f, ast.FunctionDef))
    notes = (
        given.annotation
        for maker in makers
        if maker.name == "__init__"
        for given in (*maker.args.args, *maker.args.kwonlyargs)
        if given.annotation is not None
    )
    return frozenset(
        part.id for note in notes for part in ast.walk(note) if isinstance(part, ast.Name)
    )


def _spoken(node: ast.ClassDef) -> Iterator[str]:
    for part in ast.walk(node) if computes(node) else ():
        if isinstance(part, (ast.Name, ast.Attribute)):
            yield part.id if isinstance(part, ast.Name) else part.attr
