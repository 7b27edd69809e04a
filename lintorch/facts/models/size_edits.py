"""Sizes written otherwise: the edits that leave out what makes a number of them."""

from __future__ import annotations

from collections.abc import Container
from typing import Protocol, TypeVar

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.events import Occurrence
from lintorch.facts.names.scopes import Binding
from lintorch.syntax.literals import Arguments, literal
from lintorch.syntax.plain_reads import is_read

N = TypeVar("N", bound=cst.CSTNode)


class EditsSizes(Protocol):
    """What knows the text and the names of a file, and puts edits into it."""

    def code(self, node: cst.CSTNode) -> str:
        """A node as it is written."""

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around another."""

    def name(self, expression: cst.CSTNode | None) -> str:
        """The full name of what it stands for."""

    def bound(self, name: cst.Name) -> list[Binding]:
        """What may have given a name its value."""

    def arguments(self, call: cst.Call, *parameters: str) -> Arguments:
        """The arguments of a call by parameter."""

    def call_at(self, event: Occurrence) -> cst.Call | None:
        """The call at which something happened."""

    def node_at(self, event: Occurrence, kind: type[N]) -> N | None:
        """The node of this class at which something happened."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Other text in the place of a node."""

    def fitted(self, content: str, place: cst.CSTNode) -> str:
        """An operation as it may stand in the place of a node."""

    def reach(self, dotted: str, at: cst.CSTNode) -> tuple[str, tuple[Edit, ...]]:
        """How to write a dotted name at a node, and the import that this needs."""


def without_int(call: cst.Call, source: EditsSizes) -> Fix | None:
    """`x.size(0)` for `int(x.size(0))`."""
    if len(call.args) != 1 or call.args[0].star:
        return None
    edit = source.replace(call, operand(call.args[0].value, source, call))
    return Fix("drop int(): a size is an int", (edit,))


def as_float(call: cst.Call, source: EditsSizes) -> Fix | None:
    """`x.size(0) * 1.0` for `float(x.size(0))`; the size alone where a quotient is a float anyway."""
    if len(call.args) != 1 or call.args[0].star or call.args[0].keyword:
        return None
    given, parent = call.args[0].value, source.parent(call)
    if isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, cst.Divide):
        text = operand(given, source, call)
    else:
        inner = source.code(given)
        product = f"{inner if is_read(given) or given.lpar else f'({inner})'} * 1.0"
        text = source.fitted(product, call)
    return Fix(f"write {text}", (source.replace(call, text),), Applicability.UNSAFE)


def as_size(call: cst.Call, source: EditsSizes) -> Fix | None:
    """`x.size(0)` for `len(x)`."""
    if len(call.args) != 1 or call.args[0].star:
        return None
    given = call.args[0].value
    text = source.code(given)
    tensor = text if is_read(given) or given.lpar else f"({text})"
    edit = source.replace(call, f"{tensor}.size(0)")
    return Fix(f"write {edit.content}", (edit,))


def without_data(event: Occurrence, source: EditsSizes) -> Fix | None:
    """`x.size(0)` for `x.data.size(0)`."""
    node = source.node_at(event, cst.Attribute) or source.node_at(event, cst.Call)
    read = node.func if isinstance(node, cst.Call) else node
    inner = read.value if isinstance(read, cst.Attribute) else None
    if not (isinstance(inner, cst.Attribute) and inner.attr.value == "data"):
        return None
    return Fix("drop .data", (source.replace(inner, source.code(inner.value)),))


def as_given(call: cst.Call, makers: Container[str], source: EditsSizes) -> Fix | None:
    """`x.size(0)` for `torch.tensor(x.size(0)).item()`."""
    made = call.func.value if isinstance(call.func, cst.Attribute) else None
    if not isinstance(made, cst.Call) or len(made.args) != 1 or made.args[0].star:
        return None
    if source.name(made.func) not in makers:
        return None
    given = made.args[0].value
    edit = source.replace(call, operand(given, source, call))
    return Fix(f"write {source.code(given)}", (edit,))


def count_up(call: cst.Call, name: str, source: EditsSizes) -> Fix | None:
    """`a + (b - a) * torch.arange(n) / (n - 1 + 1 // n)` for `torch.linspace(a, b, n)`, of numbers a and b.

    One step is `a`: the last addend keeps it from 0 / 0, as `max(n - 1, 1)` would not for tracers.
    """
    given = source.arguments(call, "start", "end", "steps")
    known = {"start", "end", "steps", "device", "dtype"}
    if name != "linspace" or not given.complete or set(given.by_name) - known:
        return None
    start, end, count = literal(given.get("start")), literal(given.get("end")), given.get("steps")
    plain = isinstance(start, (int, float)) and isinstance(end, (int, float))
    arange, edits = source.reach("torch.arange", call)
    if not plain or not arange or count is None:
        return None
    rest = [f"{n}={source.code(v)}" for n in ("device", "dtype") if (v := given.get(n)) is not None]
    factor = f"{end - start} * " if end - start != 1 else ""
    steps, n = ", ".join((source.code(count), *rest)), source.code(count)
    n = n if is_read(count) or count.lpar else f"({n})"
    text = f"{factor}{arange}({steps}) / ({n} - 1 + 1 // {n})"
    text = f"{start} + {text}" if start else text
    edit = source.replace(call, source.fitted(text, call))
    return Fix(f"write {text}", (edit, *edits), Applicability.UNSAFE)


def operand(node: cst.BaseExpression, source: EditsSizes, place: cst.CSTNode) -> str:
    """An expression as it may stand in the place of another."""
    text = source.code(node)
    return text if is_read(node) or node.lpar else source.fitted(text, place)
