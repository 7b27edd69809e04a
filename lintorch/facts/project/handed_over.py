"""Models that are made with objects of other classes: `Model(backbone, head)` of `backbone = Getter(net)`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from lintorch.core.file_views import Stamp, stamp_file
from lintorch.facts.project.file_words import KEPT, list_words, read_or_empty
from lintorch.syntax.python_ast import parse_or_empty


def find_handed_over(name: str, named: Iterable[str], files: Sequence[str]) -> str | None:
    """The file that makes an object of a class with one of this: `Model(backbone, head)` of `backbone = Getter(net)`."""
    for each in named:
        models = {model for given, model in _list_handed(each, stamp_file(each)) if given == name}
        homes = (f for f in files if models and not models.isdisjoint(list_words(f)))
        if any(not models.isdisjoint(_list_derived(f, stamp_file(f))) for f in homes):
            return each
    return None


@lru_cache(KEPT)
def _list_handed(path: str, stamp: Stamp) -> frozenset[tuple[str, str]]:
    """What functions make, with the names of the classes that are then made with it."""
    nodes = ast.walk(parse_or_empty(read_or_empty(path)))
    functions = (each for each in nodes if isinstance(each, ast.FunctionDef))
    return frozenset(pair for each in functions for pair in _pair_handed(each))


def _pair_handed(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    made: dict[str, str] = {}
    calls = []
    for each in ast.walk(function):
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=called))):
                made[name] = called
            case ast.Call(func=ast.Name(id=called)) if called[:1].isupper():
                calls.append((called, [*each.args, *(word.value for word in each.keywords)]))
    for model, given in calls:
        names = (part.id for part in given if isinstance(part, ast.Name))
        yield from ((made[name], model) for name in names if name in made)


@lru_cache(KEPT)
def _list_derived(path: str, stamp: Stamp) -> frozenset[str]:
    """The classes of a file that have a forward, or are made of others than `object`."""
    nodes = ast.walk(parse_or_empty(read_or_empty(path)))
    classes = (each for each in nodes if isinstance(each, ast.ClassDef))
    return frozenset(each.name for each in classes if computes(each) or _is_derived(each))


def _is_derived(node: ast.ClassDef) -> bool:
    return any(getattr(base, "id", "") != "object" for base in node.bases)


def computes(node: ast.ClassDef) -> bool:
    """Whether a class has a forward of its own."""
    return any(getattr(each, "name", "") == "forward" for each in node.body)
