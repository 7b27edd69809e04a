"""Sizes that code insists on: what `assert height == self.size` leaves does not vary.

A model that is given another size raises; so nothing that it does with that size can go wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from lintorch.evaluator.events import Compared, Occurrence
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.sizes import Dim, Symbol, list_symbols, make_symbol, varies
from lintorch.evaluator.values import Number, Unknown, Value, size_in


def settle_asserted(machine: Machine, test: ast.expr, holds: bool, since: int) -> None:
    """Note the sizes of inputs that are one number wherever what follows is reached, for the next evaluation.

    `holds`: how the test ends there; `since`: how many events there were before it was asked.
    """
    if machine.is_certain:
        asked = {id(each) for each in _list_equalities(test, holds)}
        for name in _list_fixed(machine.events[since:], asked):
            machine.settled[name] = make_symbol(name, False)


def is_refusal(node: ast.If) -> bool:
    """Whether a branch does nothing but to raise, and there is no other."""
    return not node.orelse and bool(node.body) and isinstance(node.body[-1], ast.Raise)


def _list_equalities(test: ast.expr, holds: bool) -> Iterator[ast.Compare]:
    """The comparisons for equality that hold where the whole test is as said."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _list_equalities(test.operand, not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        for each in test.values:
            yield from _list_equalities(each, holds)
    elif isinstance(test, ast.Compare):
        wanted = ast.Eq if holds else ast.NotEq
        if all(isinstance(each, wanted) for each in test.ops) and (holds or len(test.ops) == 1):
            yield test


def _list_fixed(events: Iterable[Occurrence], asked: set[int]) -> Iterator[str]:
    """The symbols that are compared with what does not vary."""
    for event in events:
        if isinstance(event, Compared) and id(event.node) in asked:
            written = _list_sides(event.node)
            yield from _name_fixed(event.left, event.right, written[-1])
            yield from _name_fixed(event.right, event.left, written[0])


def _list_sides(node: ast.AST) -> tuple[ast.expr | None, ...]:
    """What is written on both sides of one comparison."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return node.left, node.comparators[0]
    return None, None


def _name_fixed(asked: Value, other: Value, written: ast.expr | None) -> Iterator[str]:
    """The one symbol of a size that stands for one number of it."""
    size = size_in(asked)
    fixed = _is_fixed(size_in(other)) or (isinstance(other, Unknown) and _is_setting(written))
    if isinstance(asked, Number) and not asked.data and size is not None and fixed:
        open_ones = {each for each in list_symbols(size) if each.varies is not False}
        if len(open_ones) == 1 and not _is_folded(size):
            yield open_ones.pop().name


def _is_fixed(size: Dim | None) -> bool:
    return size is not None and varies(size) is False


def _is_setting(written: ast.expr | None) -> bool:
    """`self.size`, `self.size[0]`: nobody says what it is, but the model keeps it."""
    while isinstance(written, (ast.Attribute, ast.Subscript)):
        written = written.value
    return isinstance(written, ast.Name) and written.id == "self"


def _is_folded(size: Dim) -> bool:
    """Whether many lengths give the same: by a remainder, or something that is not known."""
    for atom in () if isinstance(size, int) else size.atoms:
        if not isinstance(atom, Symbol) and (
            atom.kind not in _STEPS or any(map(_is_folded, atom.operands))
        ):
            return True
    return False


_STEPS = ("//",)
"""What still tells a length apart from most others."""
