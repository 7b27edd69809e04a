"""Offsets of ast nodes in a text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Edit

_NEWLINE = re.compile(r"\r\n|\n|\r")


class Lines:
    """Offsets of ast nodes, whose columns count UTF-8 bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(m.end() for m in _NEWLINE.finditer(text)), len(text) + 1]

    def start_of(self, node: ast.alias | ast.stmt) -> int:
        return self._offset(node.lineno, node.col_offset)

    def end_of(self, node: ast.alias | ast.stmt) -> int:
        return self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def line_below(self, node: ast.stmt) -> int:
        """The start of the line below a statement; the text's length below its last line."""
        return min(self.starts[node.end_lineno or node.lineno], len(self.text))

    def first_line_of(self, node: ast.stmt) -> int:
        """The start of a statement's first line, which may be a decorator's."""
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        return self.starts[min([node.lineno, *(d.lineno for d in decorators)]) - 1]

    def text_of(self, node: ast.stmt) -> str:
        """The whole lines of a statement."""
        return self.text[self.starts[node.lineno - 1] : self.line_below(node)]

    def is_headed(self, node: ast.stmt) -> bool:
        """Whether a comment right above speaks of this statement alone: no code follows below."""
        above = self.text[: self.starts[node.lineno - 1]].splitlines()[-1:]
        below = self.text[self.line_below(node) :].partition("\n")[0].strip()
        return bool(above and above[0].lstrip().startswith("#") and not below)

    def remove_statement(self, node: ast.stmt) -> Iterator[Edit]:
        """Takes out a statement's lines, and blank lines that would be one gap too many."""
        start, end = self.starts[node.lineno - 1], self.line_below(node)
        beside = self.text[start : self.start_of(node)] + self.text[self.end_of(node) : end]
        if beside.strip() and not beside.lstrip().startswith("#"):
            return
        blank_below = re.match(r"(?:[ \t]*\r?\n)+", self.text[end:])
        blank_above = re.search(r"(?<=\n)(?:[ \t]*\r?\n)+\Z", self.text[:start])
        if start == 0 and blank_below:
            end += blank_below.end()
        elif blank_below and blank_above:
            start -= len(blank_above[0])
        yield Edit(start, end, "")

    def _offset(self, row: int, column: int) -> int:
        begin = self.starts[row - 1]
        line = self.text[begin : begin + column]
        return begin + len(line.encode()[:column].decode())
