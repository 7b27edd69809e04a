"""Whether a line only checks something, and raises or tells where it does not hold; what else its answer is for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress

from lintorch.facts.models.branch_purpose import only_checks, only_checks_in, only_relays

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_only_check(text: str, row: int) -> bool:
    """Whether a row is of an assert, or of the condition of an `if` that does nothing but raise or tell.

    Nothing that a tracer records comes of such a line. False where the text is no Python of this release.
    """
    return any(_covers(node, row) for node in _walk(text))


def is_only_layout(text: str, row: int) -> bool:
    """Whether a row is of the condition of an `if` that at most puts tensors in order in memory (`x = x.contiguous()`).

    Both sides are the same numbers. False where the text is no Python of this release.
    """
    branches = (node for node in _walk(text) if isinstance(node, ast.If))
    return any(_stands_at(node, row) and _relays_only(node) for node in branches)


def _walk(text: str) -> Iterator[ast.AST]:
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        yield from ast.walk(ast.parse(text))


def _relays_only(branch: ast.If) -> bool:
    sides = (branch.body, branch.orelse)
    return all(only_checks_in(side, only_relays) for side in sides)


def _covers(node: ast.AST, row: int) -> bool:
    if isinstance(node, ast.Assert):
        return _stands_at(node, row)
    return isinstance(node, ast.If) and only_checks(node) and _stands_at(node, row)


def _stands_at(node: ast.Assert | ast.If, row: int) -> bool:
    """Whether a row is of its condition, and this gives no name a value."""
    end = node.test if isinstance(node, ast.If) else node
    last = end.end_lineno or node.lineno
    names = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test))
    return node.lineno <= row <= last and not names


def find_asked_rows(text: str, row: int) -> tuple[int, ...]:
    """The rows below on which a name is asked that this row gives an answer: `odd = h % 2 == 1`, then `if odd:`.

    None where the name is given more than that answer in its function, or read otherwise.
    """
    functions = [node for node in _walk(text) if isinstance(node, _FUNCTIONS)]
    around = [each for each in functions if each.lineno <= row <= (each.end_lineno or 0)]
    function = max(around, key=lambda each: each.lineno, default=None)
    within = [*ast.walk(function)] if function else []
    names = [name for each in within if (name := _name_answer(each, row))]
    met = [each for each in within if isinstance(each, ast.Name) and each.id in names]
    tests = [each.test for each in within if isinstance(each, (ast.If, ast.IfExp))]
    asked = [each for each in met if each in tests]
    only = len(names) == 1 and len(asked) == len(met) - 1
    return tuple(each.lineno for each in asked) if only else ()


def _name_answer(node: ast.AST, row: int) -> str:
    """The name that a row gives an answer of yes or no; "" where it does not."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.BoolOp() | ast.Compare() | ast.UnaryOp()
        ) if node.lineno <= row <= (node.end_lineno or node.lineno):
            return name
    return ""
