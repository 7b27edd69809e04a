"""Lists of a length that TorchScript does not see, such as the sizes of a tensor."""

from __future__ import annotations

import libcst as cst


def is_listed(value: cst.BaseExpression) -> bool:
    """`x.shape`, `x.shape[1:]`, `x.size()`, `[1, 2]`: of a length that the compiler does not see."""
    if isinstance(value, cst.Subscript) and isinstance(value.slice[0].slice, cst.Slice):
        return is_listed(value.value)
    if isinstance(value, cst.Call):
        value = value.func if not value.args else value
        return isinstance(value, cst.Attribute) and value.attr.value == "size"
    shape = isinstance(value, cst.Attribute) and value.attr.value == "shape"
    return shape or isinstance(value, cst.List)
