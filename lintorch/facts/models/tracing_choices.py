"""Choices by `torch.jit.is_tracing()`: one side is a tracer's alone."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.models.size_rewrites import RewritesSizes


def is_traced(node: cst.CSTNode, source: RewritesSizes) -> bool | None:
    """Whether a tracer alone runs what stands here, or all others do; None where both may.

    True of `a` and False of `b` in `a if torch.jit.is_tracing() else b`.
    """
    choice = source.enclosing(node, cst.IfExp)
    asked = choice.test if choice is not None else None
    if choice is None or not isinstance(asked, cst.Call):
        return None
    if source.name(asked.func) != "torch.jit.is_tracing" or _holds(asked, node):
        return None
    return _holds(choice.body, node)


def _holds(outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
    return outer is inner or any(_holds(each, inner) for each in outer.children)
