"""Numbers that a constructor divides to a whole one, such as `size // 32`, made large enough to leave some."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from lintorch.guest.construct.function_text import parse_source_of

_LEFT = 2
"""What is left of a number that was too small, after it was divided."""
_LARGEST = 1024
"""The largest number that is made up for this."""


def outgrow_divisors(call: Callable[..., Any], made: Mapping[str, Any]) -> dict[str, int]:
    """Larger numbers for those of which the constructor's own divisions would leave nothing."""
    divisors: dict[str, int] = {}
    for node in ast.walk(parse_source_of(getattr(call, "__init__", call))):
        name, by = _read_division(node)
        divisors[name] = max(divisors.get(name, 0), by)
    return {
        name: _LEFT * divisors[name]
        for name, value in made.items()
        if type(value) is int and 0 < value < divisors.get(name, 0) <= _LARGEST // _LEFT
    }


def _read_division(node: ast.AST) -> tuple[str, int]:
    """The name and the number of `size // 32`, `self.size // 2**5` and `int(size / 32)`."""
    match node:
        case ast.Call(ast.Name("int"), [ast.BinOp(divided, ast.Div(), by)]):
            return _name_of(divided), _work_out(by)
        case ast.BinOp(divided, ast.FloorDiv(), by):
            return _name_of(divided), _work_out(by)
    return "", 0


def _name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(ast.Name("self"), name):
            return name
    return ""


def _work_out(node: ast.expr) -> int:
    match node:
        case ast.Constant(int(number)):
            return number
        case ast.BinOp(ast.Constant(int(base)), ast.Pow(), ast.Constant(int(times))):
            return int(base**times) if 0 < times <= _LARGEST.bit_length() else 0
    return 0
