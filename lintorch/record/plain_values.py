"""Values beside tensors, written as expressions: `True`, `None`, `'train'`, `(height, width)`, `height // 8`.

Nothing is called: literals, lists, tuples and mappings of them, and whole numbers worked out of sizes.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

_SUMS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
_MOST_LETTERS = 2000
"""Letters of an expression that is read."""
_BIGGEST_NUMBER = 10**9
"""Beyond it no sum is worked out."""


def parse_plain(text: str) -> ast.expr:
    """The expression. Raises ValueError where it is none, or asks for more than these do."""
    if len(text) > _MOST_LETTERS:
        raise ValueError("a value has too many letters")
    try:
        found = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"{text!r} is no value") from error
    names = {node.id: 1 for node in ast.walk(found) if isinstance(node, ast.Name)}
    _evaluate(found, names)
    return found


def is_plain(value: Any) -> bool:
    """Whether a value can be written as such an expression."""
    try:
        parse_plain(repr(value))
    except ValueError:
        return False
    return True


def evaluate_plain(text: str, sizes: Mapping[str, int]) -> Any:
    """What a text stands for at these sizes. Raises ValueError, also where it names no size of these."""
    return _evaluate(parse_plain(text), sizes)


def list_size_names(text: str) -> frozenset[str]:
    """The names of sizes that a value is worked out of."""
    return frozenset(node.id for node in ast.walk(parse_plain(text)) if isinstance(node, ast.Name))


def bind_sizes(text: str, sizes: Mapping[str, int]) -> str:
    """The same with numbers for these names; the value itself where no name is left."""
    names = list_size_names(text)
    if names <= sizes.keys():
        return repr(evaluate_plain(text, sizes)) if names else text
    return ast.unparse(_NumbersForNames(sizes).visit(parse_plain(text)))


class _NumbersForNames(ast.NodeTransformer):
    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._sizes = sizes

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self._sizes[node.id]) if node.id in self._sizes else node


def _evaluate(node: ast.expr, sizes: Mapping[str, int]) -> Any:
    if isinstance(node, ast.Constant) and node.value is not ...:
        return node.value
    if isinstance(node, ast.Name) and node.id in sizes:
        return sizes[node.id]
    if isinstance(node, ast.Tuple):
        return tuple(_evaluate(part, sizes) for part in node.elts)
    if isinstance(node, ast.List):
        return [_evaluate(part, sizes) for part in node.elts]
    if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        keys = [_evaluate(key, sizes) for key in node.keys if key is not None]
        return dict(zip(keys, (_evaluate(part, sizes) for part in node.values), strict=True))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_require_number(_evaluate(node.operand, sizes))
    if isinstance(node, ast.BinOp) and type(node.op) in _SUMS:
        left, right = (_require_number(_evaluate(part, sizes)) for part in (node.left, node.right))
        if isinstance(node.op, ast.FloorDiv) and not right:
            raise ValueError("a value divides by zero")
        return _SUMS[type(node.op)](left, right)
    raise ValueError(f"{ast.unparse(node)!r} is neither a literal nor made of sizes")


def _require_number(value: Any) -> Any:
    if type(value) in (int, float) and abs(value) < _BIGGEST_NUMBER:
        return value
    raise ValueError(f"{value!r} is no number that can be reckoned with")
