"""Expressions that read something as it stands, and work nothing out."""

from __future__ import annotations

import libcst as cst


def is_read(node: cst.CSTNode) -> bool:
    """Whether an expression is a size as it was read: `h`, `x.size(0)`, `x.shape[2]`."""
    return isinstance(node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript))
