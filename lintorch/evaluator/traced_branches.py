"""Branches that a tracer of TorchScript takes, and those that it does not: what runs in one is asked the same again.

    size = round_up(torch.ceil(h / 2)) if torch.jit.is_tracing() else round_up(h / 2)

Where `round_up` asks whether it is traced, the first call takes the one side, the second the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import Constant, Number, Question, Value

TRACING = "is traced"
"""The operator of the question whether code runs in a tracer of TorchScript."""
ASKED = Question(TRACING, Constant(True), Constant(True))


@contextmanager
def in_branch(machine: Machine, node: ast.expr, test: Value, truth: bool) -> Iterator[None]:
    """Inside of it the answer to whether code is traced is known, where the test is that question."""
    before = machine.traced
    if isinstance(test, Number) and test.asked == (ASKED,):
        while isinstance(node, ast.UnaryOp):
            node, truth = node.operand, not truth
        if isinstance(node, ast.Call):
            machine.traced = truth
    try:
        yield
    finally:
        machine.traced = before
