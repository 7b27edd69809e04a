"""Which expressions are in half precision (float16), as far as the function around them tells."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.dataflow.reaching import reaching_definitions
from lintorch.facts.names.lookup import HasNames

HALF = frozenset({"torch.float16", "torch.half"})
_CONVERTS = frozenset({"to", "type", "astype"})
_KEEPS = frozenset(
    {
        "view", "reshape", "permute", "transpose", "contiguous", "flatten", "unsqueeze", "squeeze",
        "expand", "clone", "detach", "masked_fill", "masked_fill_", "relu", "abs", "exp", "sum",
        "mean", "max", "min", "norm", "cuda", "cpu", "clamp", "sqrt", "square", "softmax", "T",
    }
)  # fmt: skip
_DEEPEST = 8


def is_half(expression: cst.CSTNode, source: HasNames, depth: int = 0) -> bool:
    """Whether an expression is surely float16: `x.half()`, `x.to(torch.float16)`, and from there."""
    if depth > _DEEPEST:
        return False
    if isinstance(expression, cst.Name):
        given = reaching_definitions(expression, source.file)
        return bool(given) and all(
            d.index is None and d.value is not None and is_half(d.value, source, depth + 1)
            for d in given
        )
    if isinstance(expression, cst.BinaryOperation):
        sides = (expression.left, expression.right)
        return any(is_half(s, source, depth + 1) for s in sides) and all(
            isinstance(s, (cst.Integer, cst.Float, cst.UnaryOperation))
            or is_half(s, source, depth + 1)
            for s in sides
        )
    if isinstance(expression, cst.Subscript):
        return is_half(expression.value, source, depth + 1)
    return isinstance(expression, cst.Call) and _gives_half(expression, source, depth)


def _gives_half(call: cst.Call, source: HasNames, depth: int) -> bool:
    if any(
        a.keyword is not None and a.keyword.value == "dtype" and source.names.name(a.value) in HALF
        for a in call.args
    ):
        return source.names.name(call.func).startswith("torch.")
    if not isinstance(call.func, cst.Attribute) or source.names.name(call.func):
        return False
    method = call.func.attr.value
    if method == "half":
        return not call.args
    if method in _CONVERTS:
        return any(source.names.name(a.value) in HALF for a in call.args)
    return method in _KEEPS and is_half(call.func.value, source, depth + 1)
