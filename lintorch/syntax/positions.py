"""Where a node stands, found without libcst's position provider, which costs 2.5 times the parse.

`ast` parses ten times faster than libcst and knows the row of every statement. So the hit's
statement is found in both trees, only that statement is printed, and positions inside it are
counted from where `ast` says it begins.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from functools import cached_property
from typing import Any

import libcst as cst
from libcst.metadata import CodePosition, MetadataWrapper, PositionProvider

from lintorch.syntax.python_ast import parse_python

_NEWLINE = re.compile(r"\r\n|\n|\r")
_BLOCKS = (cst.FunctionDef, cst.ClassDef, cst.For, cst.While, cst.With, cst.If)
_Position = tuple[int, int]


class Spans:
    """Offsets of nodes in the text of one file."""

    def __init__(
        self, text: str, module: cst.Module, parents: dict[cst.CSTNode, cst.CSTNode]
    ) -> None:
        self.text = text
        self._module = module
        self._parents = parents
        self._printed: dict[cst.CSTNode, dict[cst.CSTNode, tuple[_Position, _Position]]] = {}
        self._found: dict[cst.CSTNode, tuple[_Position, _Position]] = {}

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each row."""
        return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    def offset(self, row: int, column: int) -> int:
        """Offset of a row and column, both from 1."""
        return self.line_starts[row - 1] + column - 1

    def position(self, offset: int) -> _Position:
        """Row and column, from 1, of an offset."""
        row = bisect_right(self.line_starts, offset)
        return row, offset - self.line_starts[row - 1] + 1

    def of(self, node: cst.CSTNode) -> tuple[_Position, _Position]:
        """Start and end of a node as rows and columns from 1, the end exclusive."""
        if isinstance(node, cst.Module):
            return (1, 1), (1, 1)
        if node not in self._found:
            self._found[node] = self._find(node)
        return self._found[node]

    def _find(self, node: cst.CSTNode) -> tuple[_Position, _Position]:
        statement, start = self._statement(node)
        if start is None:
            return self._everywhere[node]
        printed = self._printed.get(statement)
        if printed is None:
            printed = self._printed[statement] = self._print(statement, start)
        return printed[node] if node in printed else self._everywhere[node]

    @cached_property
    def _everywhere(self) -> dict[cst.CSTNode, tuple[_Position, _Position]]:
        """Positions of all nodes by libcst's own provider, where the short way does not reach."""
        resolved = MetadataWrapper(self._module, unsafe_skip_copy=True).resolve(PositionProvider)
        return {
            node: ((span.start.line, span.start.column + 1), (span.end.line, span.end.column + 1))
            for node, span in resolved.items()
        }

    @cached_property
    def _ast(self) -> ast.Module | None:
        try:
            return parse_python(self.text)
        except (SyntaxError, ValueError):  # syntax newer than the running interpreter
            return None

    def _statement(self, node: cst.CSTNode) -> tuple[cst.CSTNode, _Position | None]:
        """The innermost statement around a node that both trees agree on, and its start."""
        path = [node]
        while (parent := self._parents.get(path[-1])) is not None:
            path.append(parent)
        path.reverse()
        found: tuple[cst.CSTNode, _Position | None] = (self._module, None)
        block: cst.CSTNode = self._module
        twins: list[ast.stmt] = [] if self._ast is None else self._ast.body
        steps = iter(path[1:])
        twin: Any
        while (child := next(steps, None)) is not None:
            twin = _twin(block, child, twins)
            if twin is None:
                break
            found = child, self._begin(twin)
            part = next(steps, None)
            while isinstance(part, cst.If) and isinstance(child, cst.If) and part is child.orelse:
                child, twin = part, twin.orelse[0]
                found, part = (child, self._begin(twin)), next(steps, None)
            if not isinstance(child, _BLOCKS) or part is None:
                break
            twins = twin.body
            if isinstance(part, cst.Else):
                part, twins = next(steps, None), twin.orelse
            if not isinstance(part, cst.IndentedBlock):
                break
            block = part
        return found

    def _begin(self, twin: ast.AST) -> _Position:
        first = (getattr(twin, "decorator_list", None) or [twin])[0]
        row, column = first.lineno, first.col_offset
        start = self.line_starts[row - 1]
        line = self.text[start : start + column + 1]
        before = line.encode()[:column].decode()
        return row, 1 + (len(before) if first is twin else before.rfind("@"))  # also `@ decorate`

    def _print(
        self, statement: cst.CSTNode, start: _Position
    ) -> dict[cst.CSTNode, tuple[_Position, _Position]]:
        """Positions of everything in one statement, printed alone under a dummy head."""
        row, column = start
        before = self.line_starts[row - 1]
        indent = self.text[before : before + column - 1]
        shown: cst.CSTNode = _headless(statement)
        if indent:
            block = cst.IndentedBlock([shown], indent=indent)  # type: ignore[list-item]
            shown = cst.If(cst.Name("x"), block)
        lone = self._module.with_changes(body=[shown], header=[], footer=[])
        wrapper = MetadataWrapper(lone, unsafe_skip_copy=True)
        resolved = wrapper.resolve(PositionProvider)
        printed = shown.body.body[0] if indent else shown  # type: ignore[attr-defined]
        first = (getattr(printed, "decorators", None) or [printed])[0]
        shift = row - resolved[first].start.line
        wider = 2 if _is_elif(statement, self._parents) else 0

        def place(spot: CodePosition) -> _Position:
            further = wider if spot.line + shift == row and spot.column >= column else 0
            return spot.line + shift, spot.column + 1 + further

        spans = {node: (place(span.start), place(span.end)) for node, span in resolved.items()}
        spans[statement] = spans[printed]
        return spans


def _is_elif(statement: cst.CSTNode, parents: dict[cst.CSTNode, cst.CSTNode]) -> bool:
    """Whether a statement is an `elif`, which is printed alone as an `if`, shorter by two."""
    parent = parents.get(statement)
    return isinstance(parent, cst.If) and parent.orelse is statement


def _twin(block: cst.CSTNode, child: cst.CSTNode, twins: list[ast.stmt]) -> ast.stmt | None:
    """The ast node of a block's child: simple statements on one line are one node in libcst."""
    position = 0
    for statement in block.body:  # type: ignore[attr-defined]
        if statement is child:
            return twins[position] if position < len(twins) else None
        small = isinstance(statement, cst.SimpleStatementLine)
        position += len(statement.body) if small else 1
    return None


def _headless(statement: cst.CSTNode) -> cst.CSTNode:
    """A compound statement whose block is left out; others, and one-line bodies, as they are."""
    if isinstance(statement, _BLOCKS) and isinstance(statement.body, cst.IndentedBlock):
        rest = {"orelse": None} if hasattr(statement, "orelse") else {}
        return statement.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]), **rest)
    return statement
