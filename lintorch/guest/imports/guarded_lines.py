"""Lines of a file at which an import may fail, those of decorators, and of assertions: read off its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from lintorch.guest.imports.notebook_modules import read_source

_CATCHES_IMPORTS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
_CATCHES_ALL = {"Exception", "BaseException", "RuntimeError", "OSError", "EnvironmentError"}
_GIVES_UP = {"exit", "quit", "_exit"}


@dataclass(frozen=True)
class SpecialLines:
    """Lines of a file: those where an ImportError or any error is dealt with, those of decorators, and those that only assert what a call says."""

    imports_guarded: frozenset[int] = frozenset()
    errors_guarded: frozenset[int] = frozenset()
    decorators: frozenset[int] = frozenset()
    assertions: frozenset[int] = frozenset()


@cache
def read_special_lines(filename: str) -> SpecialLines:
    """The special lines of a Python file; none where it cannot be read."""
    try:
        tree = ast.parse(read_source(filename))
    except (OSError, SyntaxError, ValueError):
        return SpecialLines()
    return SpecialLines(
        frozenset(_list_guarded(tree, _CATCHES_IMPORTS)),
        frozenset(_list_guarded(tree, _CATCHES_ALL)),
        frozenset(_list_decorators(tree)),
        frozenset(_list_assertions(tree)),
    )


def _list_guarded(tree: ast.AST, catching: set[str]) -> Iterator[int]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Try) and any(_copes(each, catching) for each in node.handlers)
        ) or (isinstance(node, (ast.With, ast.AsyncWith)) and _suppresses(node, catching)):
            yield from _list_lines(node.body)


def _list_lines(body: list[ast.stmt]) -> Iterator[int]:
    yield from range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1)


def _copes(handler: ast.ExceptHandler, catching: set[str]) -> bool:
    """Whether a handler catches such an error and goes on."""
    caught = handler.type is None or not catching.isdisjoint(_list_names(handler.type))
    return caught and not any(_gives_up(statement) for statement in handler.body)


def _gives_up(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return not _GIVES_UP.isdisjoint(_list_names(statement.value.func))
    return isinstance(statement, ast.Raise)


def _suppresses(node: ast.With | ast.AsyncWith, catching: set[str]) -> bool:
    calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
    return any(
        "suppress" in _list_names(call.func)
        and any(not catching.isdisjoint(_list_names(argument)) for argument in call.args)
        for call in calls
    )


def _list_names(node: ast.AST) -> set[str]:
    """The names that an expression ends with: `ImportError`, `builtins.ImportError`, those of a tuple."""
    if isinstance(node, ast.Tuple):
        return {name for part in node.elts for name in _list_names(part)}
    if isinstance(node, ast.Attribute):
        return {node.attr}
    return {node.id} if isinstance(node, ast.Name) else set()


def _list_assertions(tree: ast.AST) -> Iterator[int]:
    """Of `assert check_argument_types()`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Call):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _list_decorators(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", ()):
            yield from range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1)
