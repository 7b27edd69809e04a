"""Modules that make results of what a model gives, and run behind its export."""

from __future__ import annotations

import libcst as cst

from lintorch.syntax.tree import walk

_OUTPUTS = frozenset({"outputs", "preds", "predictions"})


def reads_outputs(function: cst.FunctionDef) -> bool:
    """Whether it takes what a model gives, under keys: `boxes = outputs["pred_boxes"]`."""
    taken = _OUTPUTS & {each.name.value for each in function.params.params}
    return bool(taken) and any(_reads_key(each, taken) for each in walk(function.body))


def _reads_key(node: cst.CSTNode, taken: frozenset[str]) -> bool:
    match node:
        case cst.Subscript(
            value=cst.Name(value=name),
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString()))],
        ):
            return name in taken
    return False
