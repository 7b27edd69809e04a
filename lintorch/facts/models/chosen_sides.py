"""Branches that choose between two tensors of one shape, as `torch.where` does."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from lintorch.facts.models.elementwise import list_asked, list_leaves
from lintorch.facts.models.stateless_layers import StatelessCalls


@dataclass(frozen=True)
class Chosen:
    """What a branch gives where its test holds and where it fails, and what is done with it."""

    test: ast.expr
    yes: ast.expr
    no: ast.expr
    head: str = ""
    """`x = ` or `return `; "" of an expression."""
    last: ast.stmt | None = None
    """The statement behind the branch that belongs to it."""


def find_chosen(
    branch: ast.AST | None, behind: Sequence[ast.stmt], layers: StatelessCalls
) -> Chosen | None:
    """The sides of a branch; `behind`: the statements that follow it. None where they are not two tensors
    worked out of the same ones item by item, or by such layers to one shape, of which the test asks."""
    chosen = read_sides(branch, behind)
    if chosen is None:
        return None
    yes, no = (list_leaves(layers.flatten(each), True) for each in (chosen.yes, chosen.no))
    if not yes or yes != no:
        return None
    named = {leaf.partition("@")[0] for leaf in yes}
    return chosen if named & list_asked(chosen.test) else None


def find_sized(
    branch: ast.AST | None, behind: Sequence[ast.stmt], function: ast.AST
) -> Chosen | None:
    """The same of a branch that one comparison of sizes decides, of a tensor whose shape is read there."""
    chosen = read_sides(branch, behind)
    if chosen is None or not isinstance(chosen.test, ast.Compare) or len(chosen.test.ops) != 1:
        return None
    yes, no = list_leaves(chosen.yes), list_leaves(chosen.no)
    if not yes or yes != no or not yes & _list_measured(function):
        return None
    return chosen


def _list_measured(function: ast.AST) -> frozenset[str]:
    """The names whose shape a function reads: `x` of `x.shape` and `x.size(0)`."""
    return frozenset(
        each.value.id
        for each in ast.walk(function)
        if isinstance(each, ast.Attribute)
        and each.attr in ("shape", "size")
        and isinstance(each.value, ast.Name)
    )


def read_sides(branch: ast.AST | None, behind: Sequence[ast.stmt]) -> Chosen | None:
    """The sides of a branch, whatever they are."""
    match branch:
        case ast.IfExp(test=test, body=yes, orelse=no):
            return Chosen(test, yes, no)
        case ast.If(
            test=test, body=[ast.Assign(targets=[ast.Name() as name], value=yes)], orelse=[]
        ):
            return Chosen(test, yes, ast.Name(name.id), f"{name.id} = ")
        case ast.If(
            test=test,
            body=[ast.Assign(targets=[ast.Name() as name], value=yes)],
            orelse=[ast.Assign(targets=[ast.Name() as other], value=no)],
        ) if name.id == other.id:
            return Chosen(test, yes, no, f"{name.id} = ")
        case ast.If(
            test=test,
            body=[ast.Return(value=ast.expr() as yes)],
            orelse=[ast.Return(value=ast.expr() as no)],
        ):
            return Chosen(test, yes, no, "return ")
        case ast.If(test=test, body=[ast.Return(value=ast.expr() as yes)], orelse=[]):
            last = behind[0] if behind else None
            if isinstance(last, ast.Return) and last.value is not None:
                return Chosen(test, yes, last.value, "return ", last)
    return None


def write_test(test: ast.expr) -> tuple[str, bool] | None:
    """A test without `.item()`, and whether its answer is turned round; None of `and`, `or` and the like."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = write_test(test.operand)
        return None if inner is None else (inner[0], not inner[1])
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        sides = [ast.unparse(_without_item(each)) for each in (test.left, test.comparators[0])]
        operator = ast.unparse(ast.Compare(ast.Name("a"), test.ops, [ast.Name("b")]))[1:-1]
        known = isinstance(test.ops[0], (ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.Eq, ast.NotEq))
        return (f"{sides[0]}{operator}{sides[1]}", False) if known else None
    return (ast.unparse(_without_item(test)), False) if isinstance(test, ast.Call) else None


def _without_item(node: ast.expr) -> ast.expr:
    match node:
        case ast.Call(func=ast.Attribute(value=held, attr="item"), args=[], keywords=[]):
            return held
    return node
