"""The numbers that tell a layer from others of its class: its place among them, the share that it drops."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.evaluator.frozen_records import frozen_record
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


def is_place_asked(kind: Value | None, name: str, value: Constant) -> bool:
    """Whether methods of a class do more with its place among others than to hand it on."""
    if not isinstance(kind, Class):
        return True
    asked = (_list_asked_attributes(each) for each in kind.ancestors if isinstance(each, Class))
    return any(each.concerns(name, value) for found in asked for each in found)


def is_parameter_asked(init: ast.AST, name: str, value: Constant) -> bool:
    """Whether a constructor does so."""
    return any(each.concerns(name, value) for each in _list_asked_names(init))


@frozen_record
class _Asked:
    """A place that is counted with, or compared; `most` is the number that it is compared with."""

    name: str
    most: int | None

    def concerns(self, name: str, value: Constant) -> bool:
        """Whether the answer may be another for this place than for all behind it."""
        return self.name == name and (self.most is None or value.value <= self.most)


@keep_beside
def _list_asked_attributes(kind: Class) -> tuple[_Asked, ...]:
    return tuple(_find_asked(kind.node, ast.Attribute))


@keep_beside
def _list_asked_names(node: ast.AST) -> tuple[_Asked, ...]:
    return tuple(_find_asked(node, ast.Name))


def _find_asked(tree: ast.AST, kind: type[ast.AST]) -> Iterator[_Asked]:
    """Where the place of a layer is read, and more is done with it than to hand it on."""
    for node in list_nodes(tree):
        for each in list_parts(node):
            name = getattr(each, "attr", getattr(each, "id", ""))
            is_read = isinstance(each, kind) and not isinstance(each.ctx, ast.Store)  # type: ignore[attr-defined]
            if is_read and _PLACE.search(name) and not _hands_on(node, each):
                yield _Asked(name, _find_literal(node))


def _find_literal(node: ast.AST) -> int | None:
    """The whole number in `layer_idx == 0`."""
    parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    values = [each.value for each in parts if isinstance(each, ast.Constant)]
    return values[0] if len(parts) == 2 and values and type(values[0]) is int else None


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


_HANDS_ON = (ast.Tuple, ast.Call, ast.keyword, ast.FormattedValue, ast.Assign, ast.AnnAssign)
