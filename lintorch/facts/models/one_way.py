"""Whether two things happen on one way through the code, and not on ways that exclude each other."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from lintorch.evaluator.events import Occurrence
from lintorch.facts.models.evaluation import Evaluation


def may_follow(first: Occurrence, second: Occurrence, evaluation: Evaluation) -> bool:
    """Whether one may happen on the way behind another, by the branches around them."""
    around = [second.node, *evaluation.list_all_around(second)]
    inner: ast.AST = first.node
    for outer in evaluation.list_all_around(first):
        for arm in (outer.body, outer.orelse) if isinstance(outer, ast.If) else ():
            if not any(each is inner for each in arm):
                continue
            together = any(each is other for each in arm for other in around)
            if not together and (any(each is outer for each in around) or _ends(arm)):
                return False
        inner = outer
    return True


def _ends(arm: Sequence[ast.stmt]) -> bool:
    return isinstance(arm[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))
