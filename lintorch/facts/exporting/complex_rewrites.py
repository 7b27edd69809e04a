"""Operators of complex numbers as operators of their real and imaginary parts, or as products of matrices.

z[:, 0]                          torch.complex(z.real[:, 0], z.imag[:, 0])
z.unsqueeze(1)                   torch.complex(z.real.unsqueeze(1), z.imag.unsqueeze(1))
torch.einsum("bi,io->bo", z, w)  torch.matmul(z, w)
torch.bmm(z, w), z**2            z @ w, z * z

Measured on torch 2.13 with the new ONNX exporter, at several batches and lengths: each is right, where
what stands on the left is refused.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.events import Called, Combined, Indexed, Occurrence
from lintorch.evaluator.given_arguments import read_plain
from lintorch.facts.exporting.complex_operators import is_complex
from lintorch.facts.exporting.einsum_calls import (
    HasCalls,
    multiply_matrices,
    read_einsum,
    reads_again,
    write_held,
)
from lintorch.facts.models.cell_pools import define_above
from lintorch.syntax.parsed_file import ParsedFile

BY_PARTS = "einsum_by_parts"
_BY_PARTS = '''def einsum_by_parts(equation, a, b):
    """`torch.einsum(equation, a, b)` of complex numbers, in sums of real ones."""
    real = {einsum}(equation, a.real, b.real) - {einsum}(equation, a.imag, b.imag)
    imaginary = {einsum}(equation, a.real, b.imag) + {einsum}(equation, a.imag, b.real)
    return {complex}(real, imaginary)

'''
_APART = frozenset({
    "unsqueeze", "select", "gather", "index_select", "cumsum", "tril", "triu", "expand", "repeat",
    "detach",
})  # fmt: skip
"""What treats both parts alike."""
_SPELLED = {
    "exp": ("torch.polar", "{f}({z}.real.exp(), {z}.imag)"),
    "log": ("torch.complex", "{f}({z}.abs().log(), {z}.angle())"),
    "square": ("torch.square", "{z} * {z}"),
}
_PRODUCTS = frozenset({"bmm", "mm"})


N = TypeVar("N", bound=cst.CSTNode)


class HasNodes(HasCalls, Protocol):
    """The same, of which every node can be found."""

    file: ParsedFile

    def node_at(self, event: Occurrence, kind: type[N]) -> N | None:
        """The node of this class at which something happened."""


def call_by_parts(event: Called, source: HasNodes) -> Fix | None:
    """What a function or method of complex numbers is written as."""
    call, name = source.call_at(event), event.name.rpartition(".")[2]
    if call is None:
        return None
    if name == "einsum":
        return multiply_matrices(event, source) or add_parts(event, source)
    operand, given = split_call(call, event, name)
    if operand is None or any(each.star for each in call.args):
        return None
    if name in _PRODUCTS and len(given) == 1:
        text = f"{write_held(operand, source)} @ {write_held(given[0].value, source)}"
        return _replace(call, source.fitted(text, call), (), source)
    if not reads_again(operand):
        return None
    if name in _SPELLED and not given:
        reached, template = _SPELLED[name]
        text, edits = write_reached(reached, template, operand, call, source)
        return _replace(
            call, source.fitted(text, call) if name == "square" else text, edits, source
        )
    others = (*event.positional[1:], *event.keyword.values())
    if name not in _APART or any(map(is_complex, others)):
        return None
    behind = ", ".join(write_argument(each, source) for each in given)
    return apart(call, operand, f".{name}({behind})", source)


def split_call(
    call: cst.Call, event: Called, name: str
) -> tuple[cst.BaseExpression | None, list[cst.Arg]]:
    """The tensor and the other arguments of `z.expand(2)`, `torch.unsqueeze(z, 1)`."""
    func, given = call.func, list(call.args)
    if event.name.startswith("torch.Tensor."):
        held = isinstance(func, cst.Attribute) and func.attr.value == name
        return (func.value if held and isinstance(func, cst.Attribute) else None), given
    plain = given and given[0].keyword is None and not event.name.startswith("torch.nn.")
    return (given[0].value, given[1:]) if plain else (None, [])


def write_argument(arg: cst.Arg, source: HasCalls) -> str:
    """`dim=1`."""
    text = source.code(arg.value)
    return f"{arg.keyword.value}={text}" if arg.keyword else text


def apart(
    whole: cst.CSTNode, operand: cst.BaseExpression, behind: str, source: HasCalls
) -> Fix | None:
    """`torch.complex(z.real[:, 0], z.imag[:, 0])`."""
    template = f"{{f}}({{z}}.real{_escape(behind)}, {{z}}.imag{_escape(behind)})"
    text, edits = write_reached("torch.complex", template, operand, whole, source)
    return _replace(whole, text, edits, source)


def write_reached(
    name: str, template: str, operand: cst.BaseExpression, whole: cst.CSTNode, source: HasCalls
) -> tuple[str, tuple[Edit, ...]]:
    """A template with a function of torch and a tensor; "" where the file cannot spell the function."""
    spelled, edits = source.reach(name, whole)
    text = template.format(f=spelled, z=source.code(operand))
    return (text, edits if "{f}" in template else ()) if spelled else ("", ())


def pick_by_parts(event: Indexed, source: HasNodes) -> Fix | None:
    """`z[:, 0]`, of a name."""
    node = source.node_at(event, cst.Subscript)
    if not isinstance(node, cst.Subscript) or not reads_again(node.value):
        return None
    held = source.code(node.value)
    return apart(node, node.value, source.code(node).removeprefix(held), source)


def multiply_itself(event: Combined, source: HasNodes) -> Fix | None:
    """`z**2`."""
    node = source.node_at(event, cst.BinaryOperation)
    squared = read_plain(event.right) == 2 and isinstance(node, cst.BinaryOperation)
    if not squared or not isinstance(node, cst.BinaryOperation) or not reads_again(node.left):
        return None
    text = f"{source.code(node.left)} * {source.code(node.left)}"
    return _replace(node, source.fitted(text, node), (), source)


def add_parts(event: Called, source: HasNodes) -> Fix | None:
    """A function that adds the products of the parts, for an einsum of two operands."""
    read = read_einsum(event, source)
    if read is None or len(read[2]) != 2 or not all(map(is_complex, event.positional[1:])):
        return None
    asked = {"einsum": "torch.einsum", "complex": "torch.complex"}
    edits = define_above(
        BY_PARTS, asked, lambda s: _BY_PARTS.format(**s), source.file, read[0], source.reach
    )
    if edits is None or len(read[0].args) != 3:
        return None
    given = ", ".join(source.code(each.value) for each in read[0].args)
    return _replace(read[0], f"{BY_PARTS}({given})", edits, source)


def _replace(
    whole: cst.CSTNode, text: str, edits: tuple[Edit, ...], source: HasCalls
) -> Fix | None:
    if not text:
        return None
    edit = source.replace(whole, text)
    return Fix(f"write {text}", (edit, *edits), Applicability.UNSAFE)


def _escape(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
