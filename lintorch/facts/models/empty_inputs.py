"""Code that runs for inputs without elements alone, which no exporter is given as an example."""

from __future__ import annotations

import ast
import re
from itertools import takewhile

from lintorch.evaluator.events import Occurrence
from lintorch.facts.models.evaluation import Evaluation

_COUNT = r"[\w.]+\.(?:numel\(\)|size\(0\)|shape\[0\])"
_SOME = re.compile(rf"{_COUNT}(?: > 0| != 0| >= 1)?")
_NONE = re.compile(rf"{_COUNT} (?:== 0|< 1)|not {_COUNT}")


def is_for_empty(event: Occurrence, evaluation: Evaluation) -> bool:
    """`if x.numel() == 0:` around it, or `if x.numel() > 0: return y` before it."""
    around = [*evaluation.list_all_around(event)]
    within = {id(event.node), *map(id, around)}
    return any(
        _asks_none(outer, within)
        if isinstance(outer, ast.If)
        else isinstance(outer, ast.FunctionDef) and _returned_some(outer, within)
        for outer in around
    )


def _asks_none(outer: ast.If, within: set[int]) -> bool:
    inside = any(id(line) in within for line in outer.body)
    return inside and _NONE.fullmatch(ast.unparse(outer.test)) is not None


def _returned_some(function: ast.FunctionDef, within: set[int]) -> bool:
    before = takewhile(lambda line: id(line) not in within, function.body)
    return any(
        isinstance(line, ast.If)
        and isinstance(line.body[-1], ast.Return)
        and _SOME.fullmatch(ast.unparse(line.test)) is not None
        for line in before
    )
