"""What an expression is, seen through names that are given one thing."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.classes.classes import HasClasses

_DEEPEST = 6


def find_written(node: cst.BaseExpression, source: HasClasses) -> cst.BaseExpression:
    """The expression that a name was assigned, where that is one, and so on; others as they are."""
    for _ in range(_DEEPEST):
        if isinstance(node, cst.NamedExpr):
            node = node.value
            continue
        values = source.classes.assigned(node) if isinstance(node, cst.Name) else []
        if len(values) != 1:
            return node
        node = values[0]
    return node
