"""Statements that do nothing but prepare an error and raise it: not worth following where they may not run."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from lintorch.evaluator.kept_beside import keep_beside

_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom)


def find_error_part(block: Sequence[ast.stmt]) -> int:
    """The number of the first statement of a block behind which it can only raise; the block ends so."""
    return _find_part(block[-1], tuple(block))


@keep_beside
def _find_part(last: ast.stmt, block: tuple[ast.stmt, ...]) -> int:
    for number in range(len(block) - 1, -1, -1):
        if any(isinstance(each, _LEAVING) for each in ast.walk(block[number])):
            return number + 1
    return 0
