"""Inputs that are named as targets, and that a model is asked with: the classes that a generator is to draw."""

from __future__ import annotations

import libcst as cst

from lintorch.syntax.tree import walk

_EMBEDS = frozenset({"one_hot", "embedding"})


def is_condition(forward: cst.FunctionDef, name: str) -> bool:
    """Whether all that a forward does with an input is to embed it: `self.embedding(labels)`."""
    every = [each for each in walk(forward.body) if _is_named(each, name)]
    calls = (each for each in walk(forward.body) if isinstance(each, cst.Call) and _embeds(each))
    embedded = [_find_first(call.args[0].value) for call in calls]
    return bool(every) and all(any(each is one for one in embedded) for each in every)


def _is_named(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _embeds(call: cst.Call) -> bool:
    """`self.embedding(labels)`, `F.one_hot(labels, 10)`."""
    match call:
        case cst.Call(
            func=cst.Attribute(value=cst.Name("self"), attr=cst.Name(name)), args=[cst.Arg()]
        ):
            return "loss" not in name.lower() and "criteri" not in name.lower()
        case cst.Call(func=cst.Attribute(attr=cst.Name(name)), args=[cst.Arg(), *_]):
            return name in _EMBEDS
    return False


def _find_first(value: cst.BaseExpression) -> cst.CSTNode:
    """`labels` of `labels.long().view(-1)`."""
    while isinstance(value, (cst.Attribute, cst.Call)):
        value = value.func if isinstance(value, cst.Call) else value.value
    return value
