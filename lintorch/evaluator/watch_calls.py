"""Notes the calls of a forward pass that were not followed: nothing is known of what they compute."""

from __future__ import annotations

import ast
from typing import Any

from lintorch.evaluator.events import Occurrence
from lintorch.evaluator.frozen_records import frozen_record
from lintorch.evaluator.values import Unknown, Value


@frozen_record
class CallValued(Occurrence):
    """A call of a forward pass gave something unknown; told only on request."""

    value: Value


class CallWatch:
    """Tells a machine's events which calls give something unknown."""

    def begin_statement(self, machine: Any, node: ast.stmt) -> None:
        """Nothing is noted of statements."""

    def note_value(self, machine: Any, node: ast.expr, value: Value) -> None:
        """An expression was evaluated, or a name or attribute assigned."""
        if isinstance(node, ast.Call) and machine.here.forward and isinstance(value, Unknown):
            machine.tell(CallValued, node, value)

    def note_parameters(self, machine: Any, node: ast.AST) -> None:
        """Nothing is noted of parameters."""
