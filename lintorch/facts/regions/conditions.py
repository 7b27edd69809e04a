"""Inputs that are named as targets, and that a model is asked with: the classes that a generator is to draw."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from lintorch.syntax.tree import walk

_EMBEDS = frozenset({"one_hot", "embedding"})
_JOINS = frozenset({"cat", "concat", "concatenate"})
_SIZES = frozenset({"shape", "size", "dim", "device", "dtype"})


def is_condition(forward: cst.FunctionDef, name: str) -> bool:
    """Whether all that a forward does with an input is to embed it, or to join it to others.

    `self.embedding(labels)`, `torch.cat((noise, labels), -1)`, also by a name for `labels.view(-1, 1)`.
    """
    nodes = list(walk(forward.body))
    names, placed = _list_names(nodes, name)
    taken = {_find_first(value) for node in nodes for value in _list_taken(node)}
    placed |= {n.value for n in nodes if isinstance(n, cst.Attribute) and n.attr.value in _SIZES}
    used = {each for each in nodes if _is_named(each, names)} - placed
    return bool(used) and used <= taken


def _list_names(nodes: Sequence[cst.CSTNode], name: str) -> tuple[set[str], set[cst.CSTNode]]:
    """The names that an input goes by, in another form too, and where they are given to it."""
    names, placed = {name}, set[cst.CSTNode]()
    for node in nodes:
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(other) as target)]):
                first = _find_first(node.value)
                if _is_named(first, names):
                    names.add(other)
                    placed |= {target, first}
    return names, placed


def _is_named(node: cst.CSTNode, names: set[str]) -> bool:
    return isinstance(node, cst.Name) and node.value in names


def _list_taken(node: cst.CSTNode) -> list[cst.BaseExpression]:
    """`labels` of `self.embedding(labels)`, `F.one_hot(labels, 10)` and `torch.cat((noise, labels), 1)`."""
    match node:
        case cst.Call(
            func=cst.Attribute(value=cst.Name("self"), attr=cst.Name(name)), args=[cst.Arg(value)]
        ):
            judges = "loss" in name.lower() or "criteri" in name.lower()
            return [] if judges else [value]
        case cst.Call(func=cst.Attribute(attr=cst.Name(name)), args=[cst.Arg(value), *_]):
            if name in _JOINS and isinstance(value, (cst.Tuple, cst.List)):
                return [each.value for each in value.elements]
            return [value] if name in _EMBEDS else []
    return []


def _find_first(value: cst.BaseExpression) -> cst.CSTNode:
    """`labels` of `labels.long().view(-1)`."""
    while isinstance(value, (cst.Attribute, cst.Call)):
        value = value.func if isinstance(value, cst.Call) else value.value
    return value
