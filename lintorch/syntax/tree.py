"""One walk over a libcst tree: who is whose parent, and the nodes of each class.

libcst's own `children` and visitors cost as much as the parse; this costs a fifteenth of it
(measured on pytorchcv 0.0.67), because punctuation and whitespace are not entered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache, cached_property

import libcst as cst

_PUNCTUATION = frozenset(
    {
        "leading_lines", "lines_after_decorators", "trailing_whitespace", "header", "footer",
        "lpar", "rpar", "lbracket", "rbracket", "lbrace", "rbrace", "comma", "semicolon",
        "equal", "colon", "dot", "star", "newline", "indent", "operator_whitespace",
    }
)  # fmt: skip
_fields_of: dict[type, tuple[str, ...]] = {}


@dataclass(frozen=True, eq=False)
class Tree:
    """A parsed module with its nodes by class, in document order, and each node's parent."""

    module: cst.Module
    parents: dict[cst.CSTNode, cst.CSTNode]
    nodes: dict[type, list[cst.CSTNode]]

    @cached_property
    def order(self) -> dict[cst.CSTNode, int]:
        """The number of each node in document order, a parent before its children."""
        numbers: dict[cst.CSTNode, int] = {}
        stack: list[cst.CSTNode] = [self.module]
        while stack:
            node = stack.pop()
            numbers[node] = len(numbers)
            stack += reversed(offspring(node))
        return numbers


def grow_tree(module: cst.Module) -> Tree:
    """Walk the module once."""
    parents: dict[cst.CSTNode, cst.CSTNode] = {}
    nodes: defaultdict[type, list[cst.CSTNode]] = defaultdict(list)
    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        nodes[node.__class__].append(node)
        children = offspring(node)
        for child in children:
            parents[child] = node
        children.reverse()
        stack += children
    return Tree(module, parents, nodes)


def names_in(node: cst.CSTNode) -> Iterator[cst.Name]:
    """The names below a node, itself included, in document order."""
    if isinstance(node, cst.Name):
        yield node
    for child in offspring(node):
        yield from names_in(child)


def parameters(function: cst.FunctionDef) -> list[cst.Param]:
    """The parameters that have a name, in order."""
    given = function.params
    return [*given.posonly_params, *given.params, *given.kwonly_params]


def ends_in_jump(block: cst.CSTNode) -> bool:
    """Whether what follows a block is never reached from its end."""
    if isinstance(block, cst.Else):
        block = block.body
    statements = getattr(block, "body", ())
    last = statements[-1] if statements else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, (cst.Return, cst.Raise, cst.Continue, cst.Break))


def offspring(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The node's children in document order, without punctuation and whitespace."""
    names = _fields_of.get(node.__class__)
    if names is None:
        names = _fields_of[node.__class__] = _meaningful(node.__class__)
    found: list[cst.CSTNode] = []
    for name in names:
        value = getattr(node, name)
        kind = value.__class__
        if kind is list or kind is tuple:
            found += [item for item in value if _is_node(item.__class__)]
        elif _is_node(kind):
            found.append(value)
    return found


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and all below it, in document order, without punctuation and whitespace."""
    yield node
    for child in offspring(node):
        yield from walk(child)


@cache
def is_of_kind(kind: type, kinds: tuple[type, ...]) -> bool:
    """Whether a class of nodes is one of several, or derives from one: asked of a class once."""
    return issubclass(kind, kinds)


@cache
def _is_node(kind: type) -> bool:
    """Asked of a class once: libcst's are abstract, and `isinstance` of those is slow."""
    return issubclass(kind, cst.CSTNode)


def _meaningful(kind: type) -> tuple[str, ...]:
    names = [f.name for f in fields(kind)]
    if kind is cst.FunctionDef or kind is cst.ClassDef:  # decorators stand before the name
        names.sort(key=lambda name: name != "decorators")
    return tuple(n for n in names if n not in _PUNCTUATION and not n.startswith("whitespace"))
