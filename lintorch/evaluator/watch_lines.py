"""Notes what the expressions of chosen rows are worth, each time that they are reached."""

from __future__ import annotations

import ast
import itertools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lintorch.evaluator.events import Valued
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.show_value import show_value
from lintorch.evaluator.values import (
    Bound,
    Class,
    External,
    Frame,
    Function,
    ModuleValue,
    Slice,
    Super,
    Value,
)

_PLAIN = (ast.Constant, ast.Starred, ast.Slice)
_NAMES = (Bound, Class, External, Function, ModuleValue, Slice, Super)
"""What is no news where it is read by a name."""


@dataclass
class LineWatch:
    """Tells a machine's events what expressions in these rows of a file are worth.

    `rows` says for each of them in which row its statement begins.
    """

    path: str
    rows: Mapping[int, int]
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _turns: dict[tuple[int, int], int] = field(default_factory=dict)
    """By address of a function's names and row of a statement: its turn that is going on."""
    _own: dict[str, bool] = field(default_factory=dict)

    def begin_statement(self, machine: Machine, node: ast.stmt) -> None:
        """A statement is about to be carried out."""
        if node.lineno in self.rows and self._is_own(machine):
            self._begin_turn(machine, node.lineno)

    def _begin_turn(self, machine: Machine, row: int) -> None:
        key = machine.here.frame.address, self.rows[row]
        self._turns[key] = next(self._numbers)

    def note_value(self, machine: Machine, node: ast.expr, value: Value) -> None:
        """An expression was evaluated, or a name or attribute assigned."""
        if node.lineno not in self.rows or not self._is_own(machine) or _is_idle(node, value):
            return
        shown = show_value(machine, value)
        row = self.rows[node.lineno]
        turn = self._find_turn(machine.here.frame, row)
        machine.tell(Valued, node, shown, value, row, turn)

    def note_parameters(self, machine: Machine, node: ast.AST) -> None:
        """A function is entered, its parameters bound."""
        spec = getattr(node, "args", None)
        if isinstance(spec, ast.arguments) and self._is_own(machine):
            for row in {getattr(node, "lineno", 0), *(arg.lineno for arg in spec.args)}:
                if row in self.rows:
                    self._begin_turn(machine, row)
            held = machine.state.read(machine.here.frame.address)
            for given in (*spec.posonlyargs, *spec.args, spec.vararg, *spec.kwonlyargs, spec.kwarg):
                if given is not None and given.arg in held and given.arg != "self":
                    name = ast.copy_location(ast.Name(given.arg, ast.Store()), given)
                    self.note_value(machine, name, held[given.arg])

    def _is_own(self, machine: Machine) -> bool:
        path = machine.here.file.path
        if path not in self._own:
            self._own[path] = os.path.abspath(path) == os.path.abspath(self.path)
        return self._own[path]

    def _find_turn(self, frame: Frame | None, row: int) -> int:
        while frame is not None:
            if (frame.address, row) in self._turns:
                return self._turns[frame.address, row]
            frame = frame.outer
        return 0


def _is_idle(node: ast.expr, value: Value) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return True
    if isinstance(node, _PLAIN) or (isinstance(node, ast.Name) and node.id in ("self", "cls")):
        return True
    stored = isinstance(getattr(node, "ctx", None), ast.Store)
    return not stored and isinstance(node, (ast.Name, ast.Attribute)) and isinstance(value, _NAMES)
