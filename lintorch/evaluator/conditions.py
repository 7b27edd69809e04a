"""Conditions as they are asked: the same one, wherever it is asked again, has the same key."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.evaluator.frozen_records import frozen_record
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.marks import Test
from lintorch.evaluator.values import Choice, Constant, Frame, Held, Unknown, Value, find_unproven


@frozen_record
class Word:
    """A part of a condition as text, in which every name is what it stands for."""

    text: str
    cells: frozenset[tuple[int, str]] = frozenset()


def make_test(machine: Machine, node: ast.expr) -> Test:
    """A condition as it is asked here. `x is not None` counts as `x`: few such things are empty."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return Test("not", (make_test(machine, node.operand),))
    if isinstance(node, ast.BoolOp):
        kind = "and" if isinstance(node.op, ast.And) else "or"
        return Test(kind, tuple(make_test(machine, each) for each in node.values))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = word_of(machine, node.left), word_of(machine, node.comparators[0])
        cells = left.cells | right.cells
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and right.text == "None":
            return Test("", (), left.text, isinstance(node.ops[0], ast.IsNot), cells)
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            same = isinstance(node.ops[0], ast.Eq)
            return Test("", (), f"{left.text} == {right.text}", same, cells)
    word = word_of(machine, node)
    return Test("", (), word.text, True, word.cells)


def word_of(machine: Machine, node: ast.AST) -> Word:
    """An expression, names by what they stand for."""
    if isinstance(node, ast.Name):
        return _word_of_name(machine, node)
    if isinstance(node, ast.Attribute):
        inner = word_of(machine, node.value)
        cells = inner.cells
        if inner.text.startswith("#") and inner.text[1:].isdigit():
            cells |= {(int(inner.text[1:]), node.attr)}
        return Word(f"{inner.text}.{node.attr}", cells)
    if isinstance(node, ast.Constant):
        return Word(repr(node.value))
    parts = [word_of(machine, each) for each in _list_parts(node)]
    text = f"{type(node).__name__}({', '.join(each.text for each in parts)})"
    return Word(text, frozenset().union(*(each.cells for each in parts)))


def _list_parts(node: ast.AST) -> Iterator[ast.AST]:
    for each in ast.iter_child_nodes(node):
        if not isinstance(each, ast.expr_context):
            yield each


def _word_of_name(machine: Machine, node: ast.Name) -> Word:
    frame: Frame | None = machine.here.frame
    while frame is not None:
        held = machine.state.read(frame.address)
        if node.id in held:
            value, cells = held[node.id], frozenset({(frame.address, node.id)})
            text = name_lasting(value)
            if text:
                return Word(text)
            return Word(_name_choice(value) or f"{frame.address}:{node.id}", cells)
        frame = frame.outer
    return Word(node.id)


def _name_choice(value: Value) -> str:
    """`#12|None` of an object that may be None: the same question wherever it is handed to."""
    names = [*map(name_lasting, value.alternatives)] if isinstance(value, Choice) else []
    held = [each for each in names if each.startswith("#")]
    return "|".join(names) if all(names) and len(held) == 1 and "None" in names else ""


def name_lasting(value: Value) -> str:
    """A text that stands for one value alone, "" where nothing tells it from others."""
    value = find_unproven(value)
    if isinstance(value, Held):
        return f"#{value.address}"
    if isinstance(value, Constant):
        return repr(value.value)
    if isinstance(value, Unknown) and value.path[:1] not in ("", "?") and "(" not in value.path:
        return value.path
    return ""
