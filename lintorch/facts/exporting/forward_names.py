"""The parameters of the forward of a model that is made in the file, without following what it computes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.facts.classes.classes import HasClasses
from lintorch.syntax.tree import offspring

_SAME = frozenset({"eval", "train", "cpu", "cuda", "to", "half", "float", "requires_grad_"})
"""Methods of a model that give it back."""


def list_forward_names(
    model: cst.BaseExpression | None, source: HasClasses
) -> tuple[str, ...] | None:
    """In order; None of a model that is not made in the file, or whose forward returns what it is given.

    The new ONNX exporter gives another name to an input that is an output as well.
    """
    forward = _find_forward(model, source)
    if forward is None or forward.decorators:
        return None
    params = forward.params
    names = tuple(each.name.value for each in (*params.posonly_params, *params.params))[1:]
    if isinstance(params.star_arg, cst.Param):
        return None
    return None if set(names) & set(_list_handed_back(forward)) else names


def _find_forward(model: cst.BaseExpression | None, source: HasClasses) -> cst.FunctionDef | None:
    made = source.classes.built(model) if model is not None else ()
    call = made[0] if len(made) == 1 else None
    while call is not None and isinstance(call.func, cst.Attribute):
        inner = call.func.value
        if call.func.attr.value not in _SAME:
            return None
        found = source.classes.built(inner)
        call = found[0] if len(found) == 1 else None
    info = source.classes.named(source.names.name(call.func)) if call is not None else None
    return source.classes.method(info, "forward") if info is not None else None


def _list_handed_back(node: cst.CSTNode) -> Iterator[str]:
    """The names that returns give as they are, but for those that are assigned on the way."""
    given, assigned = set(_list_returned(node)), set(_list_assigned(node))
    yield from given - assigned


def _list_returned(node: cst.CSTNode) -> Iterator[str]:
    if isinstance(node, cst.Return) and node.value is not None:
        yield from _list_plain(node.value)
    for child in offspring(node):
        yield from _list_returned(child)


def _list_plain(node: cst.CSTNode) -> Iterator[str]:
    if isinstance(node, cst.Name):
        yield node.value
    elif isinstance(node, (cst.Tuple, cst.List, cst.Dict)):
        for each in node.elements:
            yield from _list_plain(each.value)


def _list_assigned(node: cst.CSTNode) -> Iterator[str]:
    if isinstance(node, cst.AssignTarget) and isinstance(node.target, cst.Name):
        yield node.target.value
    for child in offspring(node):
        yield from _list_assigned(child)
