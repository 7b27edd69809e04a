"""Follows a function of the project that raises: its statements run one by one, as those of a script do.

def load(name):                            # n_nodes is known where there is no table
    table = pandas.read_csv(name)
    return table, 207
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, NoReturn, TypeGuard

from lintorch.guest.calls.unknown_value import UNKNOWN
from lintorch.guest.construct.function_text import parse_source_of

Evaluate = Callable[[ast.expr, dict[str, Any]], Any]
Run = Callable[[ast.stmt, dict[str, Any]], None]


class ReturnedError(Exception):
    """A function that is followed has come to its end."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


def follow_function(function: FunctionType, given: Mapping[str, Any], run: Run) -> Any:
    """What a function gives back for arguments by name, as far as that can be worked out."""
    body = _find_body(function)
    scope = {**function.__globals__, **_list_free(function), **given} if body else {}
    try:
        for statement in body:
            run(statement, scope)
    except ReturnedError as returned:
        return returned.value
    return UNKNOWN


def is_followed(function: Any, project: Path) -> TypeGuard[FunctionType]:
    """Whether something is a function that the project itself defines."""
    if not isinstance(function, FunctionType):
        return False
    return Path(function.__code__.co_filename).is_relative_to(project)


def bind_call(
    function: Callable[..., Any], node: ast.Call, evaluate: Evaluate, scope: dict[str, Any]
) -> dict[str, Any] | None:
    """The arguments of a call by their names, unknown ones too; None where they do not fit."""
    args = [evaluate(part, scope) for part in node.args if not isinstance(part, ast.Starred)]
    named = {key.arg: evaluate(key.value, scope) for key in node.keywords if key.arg}
    try:
        signature = inspect.signature(function)
        bound = signature.bind_partial(*args, **named)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    lacking = dict.fromkeys(signature.parameters, UNKNOWN)
    return {**lacking, **bound.arguments}


def leave_function(node: ast.Return, evaluate: Evaluate, scope: dict[str, Any]) -> NoReturn:
    """End the function that is followed with what a `return` gives, each item by itself."""
    if isinstance(node.value, ast.Tuple):
        raise ReturnedError(tuple(evaluate(part, scope) for part in node.value.elts))
    raise ReturnedError(None if node.value is None else evaluate(node.value, scope))


def _find_body(function: FunctionType) -> list[ast.stmt]:
    first = next(iter(parse_source_of(function).body), None)
    return first.body if isinstance(first, ast.FunctionDef) else []


def _list_free(function: FunctionType) -> dict[str, Any]:
    """The names that a function takes from one around it."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    found = {}
    for name, cell in cells:
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not set yet
            found[name] = UNKNOWN
    return found
