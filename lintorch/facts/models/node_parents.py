"""What stands around a node of Python's own tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache

from lintorch.syntax.python_ast import list_nodes, list_parts

Definition = ast.FunctionDef | ast.AsyncFunctionDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class NodeParents:
    """The parents of all nodes of a file."""

    def __init__(self, tree: ast.AST) -> None:
        self._parents = {inner: outer for outer in list_nodes(tree) for inner in list_parts(outer)}

    @cached_property
    def _calls(self) -> Mapping[tuple[int, int, int, int], ast.Call]:
        return {
            (each.lineno, each.col_offset, each.end_lineno or 0, each.end_col_offset or 0): each
            for each in self._parents
            if isinstance(each, ast.Call)
        }

    def find_call(self, row: int, column: int, end_row: int, end_column: int) -> ast.Call | None:
        """The call that is written from one place to another, columns in bytes."""
        return self._calls.get((row, column, end_row, end_column))

    def list_around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around one, innermost first."""
        outer = self._parents.get(node)
        while outer is not None:
            yield outer
            outer = self._parents.get(outer)

    def is_statement(self, node: ast.AST) -> bool:
        """Whether an expression is a statement by itself."""
        return isinstance(self._parents.get(node), ast.Expr)

    def find_function(self, node: ast.AST) -> Definition | None:
        """The function around a node."""
        return next((each for each in self.list_around(node) if isinstance(each, Definition)), None)


@lru_cache(16)
def find_parents(tree: ast.AST) -> NodeParents:
    """The parents of a file's nodes, kept for the next file that enters it."""
    return NodeParents(tree)
