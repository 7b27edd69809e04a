"""Operands of one type where an exporter has no place for two.

einsum("i,j->ij", places, self.rates)      einsum("i,j->ij", places.to(self.rates.dtype), self.rates)

Measured on torch 2.13: the same bits in eager mode, which casts so by itself, and both ONNX exporters
are right at every length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Edit, Fix
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.values import Tensor

PLAIN = (cst.Name, cst.Attribute)
"""What can be written twice, and is worked out once."""
_TIGHT = (*PLAIN, cst.Call, cst.Subscript)


class HasCalls(Protocol):
    """A file whose calls can be found and edited."""

    def call_at(self, event: Occurrence) -> cst.Call | None:
        """The call of this file at which something happened."""

    def code(self, node: cst.CSTNode) -> str:
        """The node's own text."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Put `content` in the place of a node."""


def cast_operands(event: Called, source: HasCalls) -> Fix | None:
    """Operands of whole numbers as floats of another operand's type, which a name or an attribute holds."""
    operands = [*_list_operands(event, source)]
    floats = [(node, kind) for node, kind in operands if kind.startswith("float")]
    wholes = [node for node, kind in operands if kind.startswith(("int", "uint"))]
    model = next((node for node, _ in floats if isinstance(node, PLAIN)), None)
    one_kind = len({kind for _, kind in floats}) == 1
    if model is None or not wholes or not one_kind or len(floats) + len(wholes) < len(operands):
        return None
    edits = tuple(_cast(node, f"{source.code(model)}.dtype", source) for node in wholes)
    return Fix("cast the whole numbers first", edits)


def _list_operands(event: Called, source: HasCalls) -> Iterator[tuple[cst.BaseExpression, str]]:
    """The tensors that are given one by one, and their types; "" of one that is not known."""
    call = source.call_at(event)
    args = call.args if call is not None else ()
    if any(each.star or each.keyword for each in args) or len(args) != len(event.positional):
        return
    for arg, value in zip(args, event.positional, strict=True):
        if not isinstance(arg.value, cst.SimpleString):
            kind = value.dtype if isinstance(value, Tensor) and value.sure else None
            yield arg.value, kind or ""


def _cast(node: cst.BaseExpression, kind: str, source: HasCalls) -> Edit:
    return source.replace(node, f"{write_tight(node, source)}.to({kind})")


def write_tight(node: cst.BaseExpression, source: HasCalls) -> str:
    """A node's text, in brackets where something is to be written behind it that binds more tightly."""
    text = source.code(node)
    return text if isinstance(node, _TIGHT) or node.lpar else f"({text})"
