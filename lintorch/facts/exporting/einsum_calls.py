"""A call of einsum, read from its text, and written as a product of matrices or item by item."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.events import Called, Occurrence
from lintorch.facts.exporting.einsum_elementwise import find_elementwise
from lintorch.facts.exporting.einsum_products import find_product
from lintorch.syntax.literals import literal


class HasCalls(Protocol):
    """A file whose calls can be found and edited."""

    def call_at(self, event: Occurrence) -> cst.Call | None:
        """The call of this file at which something happened."""

    def code(self, node: cst.CSTNode) -> str:
        """The node's own text."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Put `content` in the place of a node."""

    def fitted(self, content: str, place: cst.CSTNode) -> str:
        """An operation as it may stand in the place of a node."""

    def reach(self, dotted: str, at: cst.CSTNode) -> tuple[str, tuple[Edit, ...]]:
        """How to write a dotted name at a node, and the import that this needs."""


def read_einsum(
    event: Called, source: HasCalls
) -> tuple[cst.Call, str, list[cst.BaseExpression]] | None:
    """The call, its equation and as many operands as that names; None where these are not all seen."""
    call = source.call_at(event) if event.name == "torch.einsum" else None
    given = list_operands(call) if call is not None else None
    said = literal(given[0]) if given else None
    if call is None or not given or not isinstance(said, str) or len(given) - 2 != said.count(","):
        return None
    return call, said, given[1:]


def list_operands(call: cst.Call) -> list[cst.BaseExpression] | None:
    """The equation and its operands, which may stand in a list; None where they are not all seen."""
    if any(arg.star or arg.keyword for arg in call.args):
        return None
    values = [arg.value for arg in call.args]
    if len(values) == 2 and isinstance(values[1], (cst.List, cst.Tuple)):
        values = [values[0], *(each.value for each in values[1].elements)]
    starred = any(isinstance(each, cst.StarredElement) for each in values)
    return None if starred or not 2 <= len(values) <= 3 else values


def multiply(event: Called, source: HasCalls) -> Fix | None:
    """`torch.matmul(a, b.transpose(-1, -2))` or `a * b[:, None]` for what an einsum multiplies."""
    if fix := multiply_matrices(event, source):
        return fix
    read = read_einsum(event, source)
    plain = find_elementwise(read[1]) if read is not None else None
    if read is None or plain is None:
        return None
    text = plain.write([write_held(each, source) for each in read[2]])
    whole = source.fitted(text, read[0]) if plain.multiplies else text
    return Fix(f"write {text}", (source.replace(read[0], whole),), Applicability.UNSAFE)


def multiply_matrices(event: Called, source: HasCalls) -> Fix | None:
    """The first of these alone."""
    read = read_einsum(event, source)
    product = find_product(read[1]) if read is not None else None
    if read is None or product is None:
        return None
    name, edits = source.reach("torch.matmul", read[0])
    text = product.write(name, *(write_held(each, source) for each in read[2]))
    edit = source.replace(read[0], text)
    return Fix(f"write {text}", (edit, *edits), Applicability.UNSAFE) if name else None


def reads_again(operand: cst.BaseExpression) -> bool:
    """Whether an operand may be written twice: `x`, `self.scale`."""
    while isinstance(operand, cst.Attribute):
        operand = operand.value
    return isinstance(operand, cst.Name)


def write_held(operand: cst.BaseExpression, source: HasCalls) -> str:
    """An operand as something that a method can be called on."""
    plain = isinstance(operand, (cst.Name, cst.Attribute, cst.Call, cst.Subscript))
    text = source.code(operand)
    return text if plain or operand.lpar else f"({text})"
