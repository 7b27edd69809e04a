"""Values that a constructor compares an argument with: the words and numbers between which it chooses."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from lintorch.guest.construct.function_text import parse_source_of

_DEEPEST_CALL = 2
"""Functions inside each other into which an argument is followed."""


@lru_cache(maxsize=512)
def find_compared_values(call: Callable[..., Any], name: str, depth: int = 0) -> tuple[Any, ...]:
    """The words, or whole numbers, that an argument is compared with, the first first.

    Those of branches that raise are left out; () where it is compared with none, or with one number.
    """
    tree = parse_source_of(call.__init__ if inspect.isclass(call) else call)
    scope = vars(inspect.getmodule(call) or inspect)
    found = [value for node in ast.walk(tree) for value in _read_choices(node, name, scope)]
    if not found and depth < _DEEPEST_CALL:
        found = [
            value
            for callee, keyword in _find_passed(call, tree, name)
            for value in find_compared_values(callee, keyword, depth + 1)
        ]
    words = tuple(dict.fromkeys(value for value in found if isinstance(value, str)))
    numbers = tuple(dict.fromkeys(value for value in found if type(value) is int))
    return words or (numbers if len(numbers) > 1 else ())


@lru_cache(maxsize=512)
def find_counted_number(call: Callable[..., Any], name: str) -> int | None:
    """The least number that leaves one block a stage: 8 by `assert (depth - 2) % 6 == 0`; None where none is asked for."""
    tree = parse_source_of(call.__init__ if inspect.isclass(call) else call)
    for node in ast.walk(tree):
        match node.test if isinstance(node, ast.Assert) else None:
            case ast.Compare(
                ast.BinOp(
                    ast.BinOp(ast.Name(asked), ast.Sub(), ast.Constant(int(least))),
                    ast.Mod(),
                    ast.Constant(int(step)),
                ),
                [ast.Eq()],
                [ast.Constant(0)],
            ) if asked == name:
                return least + step
    return None


def _read_choices(node: ast.AST, name: str, scope: Mapping[str, Any]) -> Iterator[Any]:
    if isinstance(node, ast.If):
        if not any(isinstance(part, ast.Raise) for part in node.body):
            yield from _read_tested(node.test, name, scope)
        elif isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.NotIn):
            yield from _read_compared(node.test, name, ast.NotIn, scope)
    elif isinstance(node, (ast.Assert, ast.IfExp)):
        yield from _read_tested(node.test, name, scope)
    elif (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Dict)
        and getattr(node.slice, "id", "") == name
    ):
        yield from (key.value for key in node.value.keys if isinstance(key, ast.Constant))


def _read_tested(test: ast.expr, name: str, scope: Mapping[str, Any]) -> Iterator[Any]:
    for part in ast.walk(test):
        if isinstance(part, ast.Compare):
            yield from _read_compared(part, name, ast.Eq, scope)
            yield from _read_compared(part, name, ast.In, scope)


def _read_compared(
    node: ast.Compare, name: str, kind: type[ast.cmpop], scope: Mapping[str, Any]
) -> Iterator[Any]:
    """The constants of `name == "a"` and `name in ("a", "b")`, and of `name in KINDS` those of the file's list."""
    left = node.left
    if isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute):  # name.lower()
        left = left.func.value
    if getattr(left, "id", "") != name or not isinstance(node.ops[0], kind):
        return
    right = node.comparators[0]
    if isinstance(right, ast.Name) and kind is not ast.Eq:
        held = scope.get(right.id)
        if isinstance(held, (list, tuple, dict)):
            yield from held
        return
    if isinstance(right, ast.Dict):
        parts: list[ast.expr | None] = list(right.keys)
    else:
        parts = list(right.elts) if isinstance(right, (ast.Tuple, ast.List, ast.Set)) else [right]
    yield from (part.value for part in parts if isinstance(part, ast.Constant))


def _find_passed(
    call: Callable[..., Any], tree: ast.AST, name: str
) -> Iterator[tuple[Callable[..., Any], str]]:
    """The functions and classes of the user's to which an argument is passed on, and by what name."""
    scope = vars(inspect.getmodule(call) or inspect)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        callee: Any = scope.get(getattr(node.func, "id", ""))
        if not _is_own(callee):
            continue
        names = _list_names(callee)
        for keyword, given in (
            *zip(names, node.args, strict=False),
            *((key.arg, key.value) for key in node.keywords),
        ):
            if keyword in names and getattr(given, "id", "") == name:
                yield callee, keyword


def _is_own(callee: Any) -> bool:
    """Whether it is a class or function that is not torch's."""
    is_callable = inspect.isclass(callee) or inspect.isfunction(callee)
    return is_callable and not str(callee.__module__).startswith("torch.")


def _list_names(callee: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(callee).parameters)
    except (TypeError, ValueError):
        return []
