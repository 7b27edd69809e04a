"""Keeps the heap in which a model was run, for who asks of its parts by name afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.evaluator.join import ITEMS
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import Held, Value

_DEEPEST = 12
_MOST_PARTS = 20_000


class HeapWatch:
    """Watches nothing else; while it does, each call of a model is followed by itself."""

    def __init__(self) -> None:
        self._machine: Machine | None = None

    def begin_statement(self, machine: Machine, node: ast.stmt) -> None:
        """Nothing is kept of statements."""

    def note_value(self, machine: Machine, node: ast.expr, value: Value) -> None:
        """Nor of values."""

    def note_parameters(self, machine: Machine, node: ast.AST) -> None:
        """A function is entered: this machine's heap is the one."""
        self._machine = machine

    def list_parts(self, model: Held) -> Iterator[tuple[str, Held]]:
        """A model's modules by path as torch names them, the model itself first under ""."""
        waiting = [("", model, 0)]
        for path, held, depth in waiting:
            yield path, held
            if self._machine is None or depth >= _DEEPEST or len(waiting) > _MOST_PARTS:
                continue
            prefix = f"{path}." if path else ""
            waiting += (
                (f"{prefix}{own}", each, depth + 1)
                for own, each in _list_inner(self._machine, held)
                if isinstance(each, Held) and each.kind == "object"
            )


def _list_inner(machine: Machine, held: Held) -> Iterator[tuple[str, Value]]:
    """What an object has under a name or a number: its attributes, its items, the entries of a ModuleDict."""
    for name, value in machine.state.read(held.address).items():
        if name == ITEMS:
            items = value if isinstance(value, tuple) else ()
            yield from ((str(number), each) for number, each in enumerate(items))
        elif name == "entries" and isinstance(value, Held) and value.kind == "dict":
            entries = machine.state.read(value.address).items()
            yield from ((key, each) for key, each in entries if isinstance(key, str))
        elif isinstance(name, str):
            yield name, value
