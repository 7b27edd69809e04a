"""Pieces of a file in which models may be shown at work: its functions, its `__main__`, its docstrings."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

_START = re.compile(r"(\w+(\s*,\s*\w+)*\s*=\s*)?[\w.]+\(|\w+\s*=\s*[\w(\[]")
_PROMPT = re.compile(r"^\s*(>>>|\.\.\.)( |$)", re.MULTILINE)
_MOST_LINES = 30
"""Lines of one statement in a text: at each line that may begin one, every count up to it is parsed."""

Snippet = list[ast.stmt]


def split_snippets(tree: ast.Module) -> Iterator[Snippet]:
    """Statements that stand together, what is meant for readers first."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = node.value.value
            if isinstance(text, str) and "(" in text:
                yield list(_parse_prose(text))
    yield list(_walk_statements(tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield [*_assign_defaults(node.args), *_walk_statements(node.body)]


def _assign_defaults(given: ast.arguments) -> Iterator[ast.stmt]:
    """Parameters as assignments of their defaults; those without one of something unreadable."""
    both = [*given.posonlyargs, *given.args]
    unread: ast.expr = ast.Call(ast.Name(""), [], [])
    defaults = [*(unread for _ in range(len(both) - len(given.defaults))), *given.defaults]
    pairs = [
        *zip(both, defaults, strict=True),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    for parameter, default in pairs:
        yield ast.Assign([ast.Name(parameter.arg)], default or unread)


def _walk_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Assignments and calls, also those in blocks; not those of functions and classes inside."""
    for node in body:
        if isinstance(node, (ast.Assign, ast.Expr, ast.Return, ast.Assert)):
            yield node
        elif isinstance(node, (ast.If, ast.With, ast.Try, ast.For)):
            yield from _walk_statements(node.body)


def _parse_prose(text: str) -> Iterator[ast.stmt]:
    """Statements among the lines of a text."""
    lines = textwrap.dedent(_PROMPT.sub("", text)).splitlines()
    at = 0
    while at < len(lines):
        taken = 1
        if _START.match(lines[at].strip()):
            for count in range(1, min(_MOST_LINES, len(lines) - at) + 1):
                if parsed := _parse_lines(lines[at : at + count]):
                    yield from _walk_statements(parsed)
                    taken = count
                    break
        at += taken


def _parse_lines(lines: list[str]) -> list[ast.stmt]:
    try:
        return ast.parse(textwrap.dedent("\n".join(lines)).strip()).body
    except (SyntaxError, ValueError):
        return []
