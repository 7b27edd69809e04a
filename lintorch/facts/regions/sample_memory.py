"""Modules that remember the samples of training to compare with: no part of a deployed model."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.facts.names.scopes import dotted_text
from lintorch.syntax.tree import offspring

_WRITES = ("index_copy_", "index_fill_", "scatter_")
"""Methods that put rows into a memory at numbers of samples, or at the head of a queue."""


def keeps_samples(owner: cst.ClassDef) -> bool:
    """Whether forward writes rows into a buffer under no_grad(), whatever the mode is."""
    forward = next(
        (
            each
            for each in owner.body.body
            if isinstance(each, cst.FunctionDef) and each.name.value == "forward"
        ),
        None,
    )
    blocks = forward.body.body if forward is not None else ()
    return any(isinstance(each, cst.With) and _is_quiet(each) and _writes(each) for each in blocks)


def _is_quiet(block: cst.With) -> bool:
    """`with torch.no_grad():`."""
    asked = (item.item for item in block.items)
    return any(
        isinstance(each, cst.Call) and dotted_text(each.func).endswith("no_grad") for each in asked
    )


def _writes(block: cst.With) -> bool:
    for call in _list_calls(block.body):
        place = call.func.value if isinstance(call.func, cst.Attribute) else None
        own = place is not None and dotted_text(place).startswith("self.")
        if own and isinstance(call.func, cst.Attribute) and call.func.attr.value in _WRITES:
            return True
    return False


def _list_calls(node: cst.CSTNode) -> Iterator[cst.Call]:
    for child in offspring(node):
        if isinstance(child, cst.Call):
            yield child
        yield from _list_calls(child)
