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
        for arm in _list_arms(outer):
            if not any(each is inner for each in arm):
                continue
            together = any(each is other for each in arm for other in around)
            if not together and (any(each is outer for each in around) or ends(arm)):
                return False
        inner = outer
    return True


def _list_arms(outer: ast.AST) -> Sequence[Sequence[ast.AST]]:
    """What stands in branches of which one is taken."""
    if isinstance(outer, ast.If):
        return outer.body, outer.orelse
    if isinstance(outer, ast.IfExp):
        return (outer.body,), (outer.orelse,)
    return [(each,) for each in outer.cases] if isinstance(outer, ast.Match) else ()


def ends(arm: Sequence[ast.AST]) -> bool:
    """Whether what follows a block is never reached from its end."""
    return isinstance(arm[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))
