"""What a branch knows of names that its condition asks about."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from lintorch.evaluator.join import make_choice
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.truth import decide, is_none, is_same
from lintorch.evaluator.values import Choice, Held, Value

_Test = Callable[[Value], bool | None]


def narrow_names(machine: Machine, test: ast.expr, holds: bool) -> None:
    """Leave out the alternatives of names and attributes for which the condition is otherwise."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        narrow_names(machine, test.operand, not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        for each in test.values:
            narrow_names(machine, each, holds)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        _narrow_comparison(machine, test, holds)
    elif isinstance(test, ast.Call):
        _narrow_class(machine, test, holds)
        _narrow_attribute(machine, test, holds)
    elif isinstance(test, (ast.Name, ast.Attribute)):
        _narrow_place(machine, test, lambda value: decide(machine, value), holds)


def _narrow_comparison(machine: Machine, test: ast.Compare, holds: bool) -> None:
    other = test.comparators[0]
    asks_none = isinstance(other, ast.Constant) and other.value is None
    if asks_none and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        wanted = holds is isinstance(test.ops[0], ast.Is)
        _narrow_place(machine, test.left, is_none, wanted)
    match test:
        case ast.Compare(ast.Call(ast.Name("type"), [place]), [ast.Eq() | ast.Is()], [kind]):
            asked = machine.evaluate(kind)
            _narrow_place(machine, place, lambda value: _is_of(value, asked), holds)


def _is_of(value: Value, kind: Value) -> bool | None:
    """`type(value) is kind`, of an object."""
    of = value.of if isinstance(value, Held) else None
    return None if of is None else is_same(of, kind)


def _narrow_class(machine: Machine, test: ast.Call, holds: bool) -> None:
    """`isinstance(value, kind)`, of a kind that is written there."""
    from lintorch.evaluator.library.class_tests import is_instance

    if getattr(test.func, "id", "") != "isinstance" or len(test.args) != 2:
        return
    place, written = test.args
    if isinstance(written, (ast.Name, ast.Attribute)):
        kind = machine.evaluate(written)
        _narrow_place(machine, place, lambda value: is_instance(value, kind), holds)


def _narrow_attribute(machine: Machine, test: ast.Call, holds: bool) -> None:
    """`hasattr(value, "name")`."""
    from lintorch.evaluator.library.objects_library import has_attribute

    match test:
        case ast.Call(ast.Name("hasattr"), [place, ast.Constant(str(name))]):
            _narrow_place(machine, place, lambda value: has_attribute(machine, value, name), holds)


def _narrow_place(machine: Machine, node: ast.expr, asks: _Test, holds: bool) -> None:
    cell = _find_cell(machine, node)
    if cell is None:
        return
    address, key = cell
    value = machine.state.read(address).get(key)
    if isinstance(value, Choice):
        left = tuple(each for each in _list_plain(value) if asks(each) is not (not holds))
        if left:
            machine.state.write(address)[key] = make_choice(left)


def _list_plain(value: Value) -> Iterator[Value]:
    """The alternatives of a choice, and of choices within it."""
    for each in value.alternatives if isinstance(value, Choice) else ():
        if isinstance(each, Choice):
            yield from _list_plain(each)
        else:
            yield each


def _find_cell(machine: Machine, node: ast.expr) -> tuple[int, str] | None:
    if isinstance(node, ast.Name):
        frame = machine.here.frame
        held = machine.state.read(frame.address)
        return (frame.address, node.id) if node.id in held else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        cell = _find_cell(machine, node.value)
        held_value = machine.state.read(cell[0]).get(cell[1]) if cell else None
        if isinstance(held_value, Held) and held_value.kind == "object":
            return held_value.address, node.attr
    return None
