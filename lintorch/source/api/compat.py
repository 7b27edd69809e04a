"""Code that asks which release of a library is installed before it uses a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from lintorch.source.scopes import dotted_text
from lintorch.source.tree import offspring

if TYPE_CHECKING:
    from lintorch.source.source import Source

_ASKS = re.compile(
    r"hasattr|getattr|version|greater|at_?least|(^|_)[gl][te]_?\d|torch_?\d|pt_?\d|legacy|compat|"
    r"is_new|is_old|new_api|old_api|signature|__kwdefaults__|is_torch_|supports?_|has_native|\bHAS_",
    re.IGNORECASE,
)
_TRIED = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "TypeError", "NameError"}
)


def hedged(expression: cst.CSTNode, source: Source) -> bool:
    """Whether a name is used, or imported, only where its release has it.

    True also where several imports could have bound the name.
    """
    head = expression
    while isinstance(head, cst.Attribute):
        head = head.value
    bound = source.bound(head) if isinstance(head, cst.Name) else []
    imports = {binding.dotted for binding in bound if binding.kind == "import"}
    return (
        len(imports) > 1
        or asked(expression, source)
        or any(asked(binding.node, source) for binding in bound if binding.kind == "import")
    )


def asked(node: cst.CSTNode, source: Source) -> bool:
    """Whether a test of the release, or a handler of missing names, stands around a node."""
    inner = node
    for outer in source.ancestors(node):
        if isinstance(outer, (cst.If, cst.IfExp)):
            if inner is not outer.test and _asks(outer.test, source):
                return True
        elif isinstance(outer, (cst.Try, cst.TryStar)):
            if any(_catches(handler) for handler in outer.handlers):
                return True
        elif (isinstance(outer, cst.IndentedBlock) and _left_before(outer, inner, source)) or (
            isinstance(outer, (cst.IndentedBlock, cst.Module)) and _asked_next(outer, inner, source)
        ):
            return True
        inner = outer
    return False


def _left_before(block: cst.IndentedBlock, child: cst.CSTNode, source: Source) -> bool:
    """Whether an earlier statement of the block asks, and returns where the answer is yes."""
    for statement in block.body:
        if statement is child:
            return False
        if isinstance(statement, cst.If) and isinstance(statement.body, cst.IndentedBlock):
            last = statement.body.body[-1]
            leaves = isinstance(last, cst.SimpleStatementLine) and isinstance(
                last.body[-1], cst.Return
            )
            if leaves and _asks(statement.test, source):
                return True
    return False


def _asked_next(block: cst.IndentedBlock | cst.Module, child: cst.CSTNode, source: Source) -> bool:
    """Whether the statement sets a name, and the next one asks before it sets it anew."""
    below = list(block.body)
    after = below[below.index(child) + 1 :] if child in below else []  # type: ignore[arg-type]
    sets = isinstance(child, cst.SimpleStatementLine) and isinstance(child.body[0], cst.Assign)
    test = after[0].test if after and isinstance(after[0], cst.If) else None
    return sets and test is not None and _asks(test, source)


def _asks(test: cst.BaseExpression, source: Source) -> bool:
    """Whether a test asks for a release, or reads a name that was assigned the answer."""
    if _ASKS.search(source.code(test)):
        return True
    names = [test, *leaves_of(test)]
    values = (v for n in names if isinstance(n, cst.Name) for v in source.classes.assigned(n))
    return any(_ASKS.search(source.code(value)) for value in values)


def leaves_of(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """All nodes below a node."""
    for child in offspring(node):
        yield child
        yield from leaves_of(child)


def _catches(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    caught = handler.type
    each = [e.value for e in caught.elements] if isinstance(caught, cst.Tuple) else [caught]
    return any(dotted_text(kind) in _TRIED for kind in each)
