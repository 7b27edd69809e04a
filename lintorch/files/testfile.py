"""Which files are tests: what they build and export is deployed by nobody.

A name does not make one: `u2net_test.py` and `test_widerface.py` are scripts that run a model.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator

_NAMED = re.compile(r"^(tests?_.*|.*_tests?|tests?)\.py$")
_IMPORTS = re.compile(
    r"^[ \t]*(import[ \t]+(pytest|unittest)\b(?!\.mock)"
    r"|from[ \t]+(pytest|unittest)[ \t]+import[ \t]+(?!mock\b))",
    re.M,
)
"""Not of a mock alone, by which documentation is built."""
_CASES = re.compile(r"^[ \t]*class[ \t]+\w+\([^)]*TestCase\b", re.M)
_FOLDERS = ("test", "tests")
_MARKS = ("__init__.py", "conftest.py")


def is_test_file(path: str, text: str) -> bool:
    """Whether a file asserts as tests do, is pytest's `conftest.py`, or lies in a package of tests."""
    name = os.path.basename(path)
    if name == "conftest.py" or _IMPORTS.search(text) or _CASES.search(text):
        return True
    asserts = _NAMED.match(name) and "def test" in text and "assert" in text
    return bool(asserts and _has_tests(text)) or any(map(os.path.isfile, package_marks(path)))


def package_marks(path: str) -> Iterator[str]:
    """The files any of which, where it is there, makes a folder around this one a package of tests."""
    folder = os.path.dirname(os.path.abspath(path))
    while name := os.path.basename(folder):
        if name in _FOLDERS:
            yield from (os.path.join(folder, mark) for mark in _MARKS)
        folder = os.path.dirname(folder)


def _has_tests(text: str) -> bool:
    """Whether there is a function for pytest: one that asserts, and that no code of the file feeds."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    fed = {_last_name(n.func) for n in nodes if isinstance(n, ast.Call) and (n.args or n.keywords)}
    return any(
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.name.startswith("test_")
        and node.name not in fed
        and any(map(_is_assertion, ast.walk(node)))
        for node in nodes
    )


def _is_assertion(node: ast.AST) -> bool:
    """`assert y.shape == (1, 3)`, `torch.testing.assert_close(y, z)`."""
    called = isinstance(node, ast.Call) and _last_name(node.func).startswith("assert")
    return called or isinstance(node, ast.Assert)


def _last_name(func: ast.expr) -> str:
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""
