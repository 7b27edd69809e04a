"""The part of a file that a change is about: what changed, and what that rests on; the rest is blank.

A large model takes longer to follow than a keystroke may. Functions and classes that the changed
one does not name are made blank, row by row and character by character, so that all places stay
what they are. What is unknown is never reported, so less is found in a part, and little that the
whole would not say; the whole is looked at as soon as nobody types.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from lintorch.server.moved_findings import Change
from lintorch.syntax.python_ast import parse_python

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def blank_others(text: str, change: Change) -> str | None:
    """A text with what a change does not concern made blank; None where it does not parse."""
    try:
        body = parse_python(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    definitions = [node for node in body if isinstance(node, _DEFINITIONS)]
    kept = _reach([n for n in definitions if _meets(n, change.new_rows)], definitions)
    rows = {row for node in definitions if node not in kept for row in _list_rows(node)}
    lines = re.split(r"(\r\n|\n|\r)", text)
    return "".join(
        " " * len(piece) if not number % 2 and number // 2 + 1 in rows else piece
        for number, piece in enumerate(lines)
    )


def is_broken(text: str) -> bool:
    """Whether a text does not parse."""
    try:
        parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return False


def _reach(begun: list[ast.stmt], definitions: Iterable[ast.stmt]) -> set[ast.stmt]:
    """These definitions, those that they name, and so on."""
    by_name: Mapping[str, ast.stmt] = {getattr(node, "name", ""): node for node in definitions}
    reached: set[ast.stmt] = set()
    waiting = list(begun)
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            waiting += [by_name[name] for name in names & by_name.keys()]
    return reached


def _meets(node: ast.stmt, rows: range) -> bool:
    own = _list_rows(node)
    return own.start < max(rows.stop, rows.start + 1) and rows.start < own.stop


def _list_rows(node: ast.stmt) -> range:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return range(first, (node.end_lineno or node.lineno) + 1)
