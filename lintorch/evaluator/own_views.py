"""What code calls the second axis: views of a tensor by its own first sizes, which say how many axes it has, and names."""

from __future__ import annotations

import ast
import re

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.syntax.python_ast import list_nodes


@keep_beside
def list_column_sizes(file: CodeFile) -> frozenset[ast.AST]:
    """The calls `h.size(1)` that ask for channels: `h.view(h.size(0), h.size(1), 1)` of two axes, `nc = h.size(1)`."""
    return frozenset(
        node.args[1] if isinstance(node, ast.Call) else node.value
        for node in list_nodes(file.tree)
        if (isinstance(node, ast.Call) and _is_own_view(node))
        or (isinstance(node, ast.Assign) and _names_channels(node))
    )


def _names_channels(node: ast.Assign) -> bool:
    named = [each for each in node.targets if isinstance(each, ast.Name)]
    return len(named) == 1 == len(node.targets) and bool(CHANNELS.fullmatch(named[0].id))


CHANNELS = re.compile(
    r"nc|(n(um)?_?|in_?|c_?)?(ch|chan|channels?|feats?|features?)(_?(num|dim))?|dim"
)
"""Names of how many channels there are."""


def _is_own_view(node: ast.Call) -> bool:
    match node:
        case ast.Call(
            ast.Attribute(ast.Name(name), "view" | "reshape"), [first, second, *ones], []
        ):
            sized = _reads_size(first, name, 0) and _reads_size(second, name, 1)
            return sized and all(isinstance(e, ast.Constant) and e.value == 1 for e in ones)
    return False


def _reads_size(node: ast.expr, name: str, axis: int) -> bool:
    match node:
        case ast.Call(ast.Attribute(ast.Name(held), "size"), [ast.Constant(number)]):
            return held == name and number == axis
    return False
