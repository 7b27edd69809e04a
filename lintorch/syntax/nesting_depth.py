"""How deep a text is nested: libcst takes quadratic time in it and more, and overflows the stack in the end."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from lintorch.syntax.python_ast import list_inner, parse_python

MOST = 2_000
"""Code nested deeper is not parsed: a chain of 1,000 calls, which is, takes libcst 5 s. The deepest
in 6,872 files of PyPI packages has 52 levels."""
_NEWLINE = re.compile(r"\r\n|\n|\r")


def is_too_deep(text: str) -> bool:
    """Whether code is nested beyond what can be parsed. Raises SyntaxError or ValueError."""
    try:
        return _deeper(parse_python(text), _Rows(text))
    except (RecursionError, MemoryError):
        return True


def _deeper(tree: ast.Module, rows: _Rows) -> bool:
    """Whether any node has more than MOST levels above it; a level takes a character at least."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, level = waiting.pop()
        if level > MOST:
            return True
        inner = level + 1
        waiting += [
            (child, inner + _beside(child, rows))
            for child in list_inner(node)
            if rows.length(child) > MOST - inner
        ]
    return False


def _beside(node: ast.AST, rows: _Rows) -> int:
    """The levels that libcst makes of what Python keeps side by side."""
    if isinstance(node, ast.BoolOp):
        return len(node.values)
    if isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    ):
        return _strings(rows.code(node))
    return 0


def _strings(code: str) -> int:
    """How many strings stand one after the other."""
    if code.count('"') + code.count("'") < MOST:
        return 0
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({code})").readline))
    except (tokenize.TokenError, SyntaxError):  # more than the string stands in its rows
        return MOST
    return sum(token.type == tokenize.STRING for token in tokens)


class _Rows:
    """The rows of a text as Python counts them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(text)), len(text)]

    def length(self, node: ast.AST) -> int:
        """The characters of a node, or somewhat more; of one that has no place, of all."""
        row, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        if not row or not last:
            return len(self._text)
        if row == last:  # columns count bytes, which are no fewer
            return int(node.end_col_offset - node.col_offset)  # type: ignore[attr-defined]
        return self._starts[last] - self._starts[row - 1]

    def code(self, node: ast.expr) -> str:
        """The rows that a node stands in."""
        return self._text[self._starts[node.lineno - 1] : self._starts[node.end_lineno or 0]]
