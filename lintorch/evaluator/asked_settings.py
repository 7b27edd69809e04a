"""Settings that nobody gives: unknown, until code takes them for a number of channels or of repeats."""

from __future__ import annotations

from lintorch.evaluator.machine import Machine
from lintorch.evaluator.sizes import make_symbol
from lintorch.evaluator.values import Constant, Unknown, Value, make_number


def make_asked(machine: Machine, name: str) -> Value:
    """A parameter of a root's constructor, or an attribute or item of one, as what code takes it for."""
    if name in machine.asked.counts:
        return Constant(machine.asked.repeats)
    if name in machine.asked.numbers:
        return make_number(make_symbol(name, False))
    return Unknown(f"<{name}>")
