"""The numbers that tell a layer from others of its class: its place among them, the share that it drops."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.values import Class, Constant, Value
from lintorch.syntax.python_ast import list_nodes, list_parts

_PLACE = re.compile(r"(^|_)(idx|index|layer_id|block_id|layer_num|layer_number)$")
_RATE = re.compile(r"drop")


def is_own_number(name: str, value: Constant) -> bool:
    """Whether a number under this name is one of them."""
    if type(value.value) is int:
        return _PLACE.search(name) is not None
    return type(value.value) is float and _RATE.search(name) is not None


def is_rate(name: str) -> bool:
    """Whether it is the share of something that is dropped."""
    return _RATE.search(name) is not None


def is_place_asked(kind: Value | None, name: str) -> bool:
    """Whether methods of a class do more with its place among others than to hand it on."""
    if not isinstance(kind, Class) or not _PLACE.search(name):
        return not isinstance(kind, Class)
    return any(
        name in _list_asked_attributes(each) for each in kind.ancestors if isinstance(each, Class)
    )


@keep_beside
def _list_asked_attributes(kind: Class) -> frozenset[str]:
    found = _find_asked(kind.node)
    return frozenset(each.attr for each in found if isinstance(each, ast.Attribute))


@keep_beside
def list_asked_names(node: ast.AST) -> frozenset[str]:
    """Parameters of a constructor that are places, with which it does more than to hand them on."""
    return frozenset(each.id for each in _find_asked(node) if isinstance(each, ast.Name))


def _find_asked(tree: ast.AST) -> Iterator[ast.AST]:
    """Where the place of a layer is read, and more is done with it than to hand it on."""
    for node in list_nodes(tree):
        for each in list_parts(node):
            name = getattr(each, "attr", getattr(each, "id", ""))
            is_read = not isinstance(getattr(each, "ctx", None), ast.Store)
            if is_read and _PLACE.search(name) and not _hands_on(node, each):
                yield each


def _hands_on(node: ast.AST, read: ast.AST) -> bool:
    """Whether a number is kept, given away, told, or looked up in what is given: not compared or counted with."""
    if isinstance(node, ast.Subscript):
        base = node.value
        while isinstance(base, ast.Attribute):
            base = base.value
        return node.slice is read and getattr(base, "id", "self") not in ("self", "config")
    if isinstance(node, ast.Compare):
        return all(isinstance(each, (ast.Is, ast.IsNot)) for each in node.ops)
    return isinstance(node, _HANDS_ON)


_HANDS_ON = (ast.Call, ast.keyword, ast.FormattedValue, ast.Assign, ast.AnnAssign)
