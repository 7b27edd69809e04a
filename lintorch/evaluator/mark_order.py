"""Telling the order of what happens: where something begins and ends, and what is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lintorch.evaluator.conditions import make_test
from lintorch.evaluator.machine import LeftError, Machine
from lintorch.evaluator.marks import Asked, Mark
from lintorch.evaluator.training_code import runs_backward


@contextmanager
def marking(
    machine: Machine, begin: type[Mark], end: type[Mark], node: ast.AST, *given: Any
) -> Iterator[None]:
    """Tells the begin of something and its end, but where the budget is spent in it."""
    machine.mark(begin, node, *given)
    try:
        yield
    except LeftError:
        machine.mark(end, node, *given)
        raise
    machine.mark(end, node, *given)


def mark_test(machine: Machine, node: ast.expr) -> None:
    """Tells what is asked ahead of two ways: that on which it holds comes first."""
    if machine.marks:
        machine.tell(Asked, node, make_test(machine, node))


def is_trained(machine: Machine, loop: ast.AST) -> bool:
    """Whether a model is trained pass by pass: one pass shows what all do."""
    return machine.marks and runs_backward(machine.here.file, loop)
