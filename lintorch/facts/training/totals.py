"""What is added to running totals and put into lists, while a root is read in order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.evaluator.events import AttributeSet, Called, Combined, Occurrence
from lintorch.evaluator.marks import NameBound
from lintorch.evaluator.values import UNKNOWN, Tensor, Unknown, Value
from lintorch.facts.training.acts import Act
from lintorch.facts.training.part_values import Subject
from lintorch.facts.training.training_actions import Action


class Sums:
    """Remembers what names stand for, and of what a value is a multiple.

    Values are told apart by identity: what a call gives is a value of its own, and names hand it on.
    """

    def __init__(self) -> None:
        self._bound: dict[str, Value] = {}
        self._parts: dict[int, tuple[Value, Value]] = {}
        """By the identity of a product: itself, which keeps that alive, and what was multiplied."""

    def note_name(self, event: NameBound) -> None:
        """A name is given a value."""
        self._bound[event.cell[1]] = event.value

    def note_attribute(self, event: AttributeSet) -> None:
        """`self.total = 0`; what an object held before is not known."""
        self._bound[f"self.{event.attribute}"] = event.value

    def list_sums(self, event: Occurrence) -> Iterator[Action]:
        """`total += loss`, `total = total + loss`, `mean = 0.9 * mean + 0.1 * loss`, `losses.append(loss)`."""
        if isinstance(event, Combined):
            yield from self._of_operation(event)
        elif isinstance(event, Called) and event.name == "list.append":
            held = event.node.func if isinstance(event.node, ast.Call) else None
            name = _name_of(held.value) if isinstance(held, ast.Attribute) else ""
            if name and len(event.positional) == 2:
                yield self._sum(event, name, event.positional[1], event.positional[0])

    def _of_operation(self, event: Combined) -> Iterator[Action]:
        part = event.left if event.operator == "Div" else _find_multiplied(event)
        if part is not None and _is_computed(part) and event.result is not UNKNOWN:
            self._parts[id(event.result)] = event.result, part
        node = event.node
        if event.operator != "Add" or not _is_computed(event.right):
            return
        if (isinstance(node, ast.AugAssign) and (name := _name_of(node.target))) or (
            isinstance(node, ast.BinOp) and (name := _name_scaled(node.left))
        ):
            yield self._sum(event, name, event.right)

    def _sum(self, event: Occurrence, name: str, value: Value, held: Value | None = None) -> Action:
        met: set[int] = set()
        while id(value) in self._parts and id(value) not in met:
            met.add(id(value))  # one unknown value may stand for a product and for its part
            value = self._parts[id(value)][1]
        before = held if "[" in name else self._bound.get(name)
        return Action(Act.SUMMED, event, Subject(name, name), value=value, before=before)


def _find_multiplied(event: Combined) -> Value | None:
    """The loss of `loss * n` and of `0.1 * loss`."""
    if event.operator != "Mult":
        return None
    return event.left if _is_computed(event.left) else event.right


def _name_scaled(node: ast.expr) -> str:
    """A name, also of `0.9 * average`."""
    match node:
        case ast.BinOp(left=ast.Constant(), op=ast.Mult(), right=inner):
            return _name_of(inner)
        case ast.BinOp(left=inner, op=ast.Mult(), right=ast.Constant()):
            return _name_of(inner)
    return _name_of(node)


def _is_computed(value: Value) -> bool:
    return isinstance(value, (Tensor, Unknown))


def _name_of(node: ast.AST) -> str:
    """A name, an attribute of self, or what such a one holds by a word: `self.history['loss']`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return ast.unparse(node) if _name_of(node.value) else ""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"self.{node.attr}" if node.value.id == "self" else ""
    return node.id if isinstance(node, ast.Name) else ""
