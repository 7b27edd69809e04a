"""Methods of Python's numbers, which a size has until it is traced: `(n / 8).is_integer()`."""

from __future__ import annotations

import ast

from lintorch.core.number_methods import NUMBER_METHODS
from lintorch.evaluator.library.table import LIBRARY, does
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import UNKNOWN, Given, Number, Question, Value


def _ask(machine: Machine, node: ast.AST, given: Given) -> Value:
    """A number like the one that it was asked of."""
    held = given.pick(0)
    if not isinstance(held, Number):
        return UNKNOWN
    return Number(None, None, held.varies, held.data, False, held.via, own=held.own)


for _name in NUMBER_METHODS:
    LIBRARY[f"number.{_name}"] = _ask


@does("number.is_integer")
def ask_whole(machine: Machine, node: ast.AST, given: Given) -> Value:
    """`(n / 8).is_integer()`: a question of the size, as `n % 8 == 0` is."""
    held = given.pick(0)
    if not isinstance(held, Number):
        return UNKNOWN
    asked = () if held.data else (Question("is_integer", held, UNKNOWN),)
    return Number(None, True, held.varies, held.data, True, held.via, asked, own=held.own)
