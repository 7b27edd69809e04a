"""Code that sets the bias of each layer of a class without asking whether it has one: `m.bias.data.zero_()`."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from functools import lru_cache

from lintorch.core.file_views import read_bytes
from lintorch.syntax.python_ast import parse_or_empty

_ALL_LAYERS = ("modules", "named_modules", "children", "named_children")


def sets_biases(kind: str, text: str, others: Iterable[str]) -> bool:
    """Whether a text, or a file of the project at one of the other paths, does that to layers of a kind."""
    return _sets_biases(kind, text) or any(
        _sets_biases(kind, found)
        for path in sorted(others)
        if path.endswith(".py") and "site-packages" not in path
        for found in (_read(path),)
    )


def _read(path: str) -> str:
    try:
        return read_bytes(path).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except OSError:
        return ""


@lru_cache(maxsize=64)
def _sets_biases(kind: str, text: str) -> bool:
    if ".bias" not in text:
        return False
    return any(
        _is_of(kind, tests)
        for function in ast.walk(parse_or_empty(text))
        if isinstance(function, (ast.FunctionDef, ast.Lambda))
        for tests in _list_sets(function, _list_names(function), ())
    )


def _list_names(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    """The names that stand for each layer: a parameter, what a loop over all of them gives."""
    names = {each.arg for each in function.args.args} - {"self"}
    for each in ast.walk(function):
        if isinstance(each, ast.For) and any(
            isinstance(n, ast.Attribute) and n.attr in _ALL_LAYERS for n in ast.walk(each.iter)
        ):
            names |= {n.id for n in ast.walk(each.target) if isinstance(n, ast.Name)}
    return names


def _list_sets(
    node: ast.AST, names: set[str], tests: tuple[ast.expr, ...]
) -> Iterator[tuple[ast.expr, ...]]:
    """The tests that hold at each place where the bias of one of these names is taken for a tensor."""
    used = node.value if isinstance(node, ast.Attribute) else None
    given = node.args if isinstance(node, ast.Call) else [used]
    if any(
        isinstance(each, ast.Attribute)
        and each.attr == "bias"
        and isinstance(each.value, ast.Name)
        and each.value.id in names
        for each in given
    ) and not _asks_bias(node, tests):
        yield tests
    for name, field in ast.iter_fields(node):
        inner = field if isinstance(field, list) else [field]
        holds = isinstance(node, (ast.If, ast.IfExp)) and name == "body"
        more = (*tests, node.test) if holds else tests  # type: ignore[attr-defined]
        for each in inner:
            if isinstance(each, ast.AST):
                yield from _list_sets(each, names, more)


def _asks_bias(node: ast.AST, tests: Iterable[ast.expr]) -> bool:
    """Whether a test asks for a bias, or the node is such a question: `isinstance(m.bias, …)`."""
    asks = isinstance(node, ast.Call) and ast.unparse(node.func) in (
        "isinstance",
        "hasattr",
        "getattr",
    )
    return asks or any("bias" in ast.unparse(each) for each in tests)


def _is_of(kind: str, tests: Iterable[ast.expr]) -> bool:
    """Whether layers of a kind get past these tests, as far as they ask for classes."""
    asked = [ast.unparse(each) for each in tests]
    classes = [
        text for text in asked if "isinstance" in text or ".find(" in text or "class" in text
    ]
    return all(_names_kind(kind, text) for text in classes)


def _names_kind(kind: str, text: str) -> bool:
    words = {
        n.attr if isinstance(n, ast.Attribute) else n.id
        for n in ast.walk(ast.parse(text))
        if isinstance(n, (ast.Attribute, ast.Name))
    }
    parts = (n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant))
    family = "_ConvNd" in words and kind.startswith("Conv")
    return kind in words or family or any(isinstance(p, str) and p and p in kind for p in parts)
