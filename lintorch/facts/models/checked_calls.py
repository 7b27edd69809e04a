"""Checks that stand in a function of their own, `check(x.dim() == 4)`: what is asked is what the call gives."""

from __future__ import annotations

import ast
from typing import NamedTuple

from lintorch.evaluator.events import Decided
from lintorch.facts.models.carried_memory import HasEvaluation
from lintorch.facts.models.evaluation import Evaluation


class CheckedCall(NamedTuple):
    """A call of a function that checks what it is given, and what that is, as it is written."""

    function: str
    given: str


def find_checked(event: Decided, source: HasEvaluation) -> CheckedCall | None:
    """The call that decides a check; None where the function asks something else than a parameter as it came."""
    evaluation = source.evaluation
    function, asked = evaluation.find_function(event), _name_asked(event.node)
    if not asked or not isinstance(function, ast.FunctionDef) or not event.way.spots:
        return None
    stores = (n.id for n in ast.walk(function) if isinstance(n, ast.Name) and _is_stored(n))
    spec = function.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    if asked in stores or asked not in (*names, *(each.arg for each in spec.kwonlyargs)):
        return None
    call = _read_call(event, evaluation)
    if call is None or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    bound = names[:1] == ["self"] and isinstance(call.func, ast.Attribute)
    positional = dict(zip(names[bound:], call.args, strict=False))
    given = {**positional, **{each.arg: each.value for each in call.keywords if each.arg}}
    if asked not in given:
        return None
    return CheckedCall(function.name, ast.unparse(given[asked]))


def _name_asked(node: ast.AST) -> str:
    """`condition` of `condition` and of `not condition`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
    return node.id if isinstance(node, ast.Name) else ""


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _read_call(event: Decided, evaluation: Evaluation) -> ast.Call | None:
    try:
        read = ast.parse(evaluation.text(event.way.spots[-1]), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return read if isinstance(read, ast.Call) else None
