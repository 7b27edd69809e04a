"""Checks of the data of tensors, as a graph may hold them: `torch._assert_async(test, "text")`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from lintorch.evaluator.events import Called, Compared
from lintorch.evaluator.values import Tensor, Value
from lintorch.facts.models.evaluation import Evaluation


@dataclass(frozen=True)
class Check:
    """What is asked, the text that is told, and whether it is told where the answer is yes."""

    statement: ast.Assert | ast.If
    test: ast.expr
    text: str
    raises: bool


def read_check(branch: ast.AST | None) -> Check | None:
    """An `assert`, or an `if` with no more in it than a `raise`; None of others, or of a text that is made."""
    match branch:
        case ast.Assert(test=test, msg=None):
            return Check(branch, test, "", False)
        case ast.Assert(test=test, msg=ast.Constant(value=str(text))):
            return Check(branch, test, text, False)
        case ast.If(test=test, body=[ast.Raise(exc=ast.Name())], orelse=[]):
            return Check(branch, test, "", True)
        case ast.If(test=test, body=[ast.Raise(exc=ast.Call(args=given))], orelse=[]):
            if not given:
                return Check(branch, test, "", True)
            first = given[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                return Check(branch, test, first.value, True)
    return None


def write_test(test: ast.expr, evaluation: Evaluation) -> str | None:
    """A test in operators of tensors, `(a < 0) | (b > 1)`; None unless all parts are tensors of one bool."""
    match test:
        case ast.BoolOp(op=operator, values=values):
            parts = [write_test(each, evaluation) for each in values]
            sign = " | " if isinstance(operator, ast.Or) else " & "
            return None if None in parts else sign.join(f"({each})" for each in parts)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            part = write_test(inner, evaluation)
            return None if part is None else f"~({part})"
        case ast.Compare() | ast.Call():
            results = list_results(test, evaluation)
            single = bool(results) and all(map(is_single_bool, results))
            return ast.unparse(test) if single else None
    return None


def list_results(node: ast.expr, evaluation: Evaluation) -> Sequence[Value]:
    """What a comparison or call gave, in all ways that it is reached."""
    events = (event for _, event in evaluation.list_events({Compared, Called}))
    return [e.result for e in events if isinstance(e, (Compared, Called)) and e.node is node]


def is_single_bool(value: Value) -> bool:
    return isinstance(value, Tensor) and value.shape == () and value.dtype == "bool"
