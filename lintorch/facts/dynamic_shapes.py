"""Whether the `dynamic_shapes` of an export call may leave a size to `Dim.AUTO`."""

from __future__ import annotations

import ast
from collections import defaultdict

_DEEPEST = 8
_PLAIN = (ast.Dict, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp)
_DECIDED = frozenset({"DYNAMIC", "STATIC"})


class AssignedSizes:
    """Follows the names of one file to what is assigned to them anywhere in it."""

    def __init__(self, tree: ast.Module) -> None:
        self._assigned: dict[str, list[ast.expr]] = defaultdict(list)
        self._open: set[str] = set()
        plain = set[ast.expr]()
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                plain |= {*node.targets}
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                plain.add(node.target)
                self._bind(node.target, node.value)
            elif isinstance(node, ast.arg):
                self._open.add(node.arg)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self._open |= set() if node in plain else {node.id}
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                self._open |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}

    def may_be_auto(self, sizes: ast.expr | None, depth: int = 0) -> bool:
        """Whether a size is, or as far as the file shows may be, left to `Dim.AUTO`."""
        if sizes is None or isinstance(sizes, ast.Constant):
            return False
        if isinstance(sizes, ast.Attribute):
            return sizes.attr not in _DECIDED
        if isinstance(sizes, ast.Call):
            name = sizes.func.attr if isinstance(sizes.func, ast.Attribute) else sizes.func
            return name != "Dim" and not (isinstance(name, ast.Name) and name.id == "Dim")
        if isinstance(sizes, ast.Name):
            values = self._assigned.get(sizes.id, [])
            unknown = sizes.id in self._open or not values or depth > _DEEPEST
            return unknown or any(self.may_be_auto(value, depth + 1) for value in values)
        if not isinstance(sizes, _PLAIN):
            return True
        parts = sizes.values if isinstance(sizes, ast.Dict) else _operands(sizes)
        return any(self.may_be_auto(part, depth + 1) for part in parts)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._assigned[target.id].append(value)


def _operands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List):
        return node.elts
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    assert isinstance(node, ast.UnaryOp)
    return [node.operand]
