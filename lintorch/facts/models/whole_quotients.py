"""Quotients of whole numbers that are made whole again, written with `//` alone."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from lintorch.evaluator.events import Combined
from lintorch.evaluator.sizes import lower_bound
from lintorch.evaluator.values import Constant, Number, Unknown, Value
from lintorch.facts.models.evaluation import Evaluation

ROUNDED_DOWN = frozenset({"int", "math.trunc", "math.floor"})
"""Of a number that is at least 0, all of them do the same."""
WHOLE_ATTRIBUTES = frozenset({"shape", "stride", "kernel_size", "dilation"})
"""Attributes of tensors and layers that hold whole numbers above 0."""
_SIGNED = frozenset({"math.ceil", "math.floor"})
FINEST = 64
"""The largest denominator of a float that is taken for a fraction: those of 0.5, 0.75, 0.125."""


@dataclass(frozen=True)
class Quotient:
    """A product of expressions over another, and a whole number that is added."""

    above: tuple[ast.expr, ...]
    below: tuple[ast.expr, ...]
    more: int = 0


def write_whole(call: ast.Call, name: str, evaluation: Evaluation) -> str | None:
    """`a * k // b` for `int(a / (b / k))`, `(a + k - 1) // k` for `math.ceil(a / k)`, and
    `a * k` for `math.ceil(a * k)`; None if unsure.

    What is divided must be whole, in every way that the code is reached, and at least 0 where
    int() would round up: `(h - k) / s` may be less for math.ceil and math.floor.
    """
    quotient = split_quotient(call.args[0]) if len(call.args) == 1 else None
    if quotient is None:
        return None
    facts = OperandFacts(call, evaluation)
    if not quotient.below:
        plain = call.args[0]
        whole = isinstance(plain, ast.BinOp) and facts.is_whole(plain, signed=True)
        return ast.unparse(plain) if whole and name in _SIGNED else None
    signed = name in _SIGNED
    whole = all(facts.is_whole(each, signed) for each in quotient.above)
    if not whole or not all(map(facts.is_whole, quotient.below)):
        return None
    if name in ROUNDED_DOWN:
        return ast.unparse(write_floor(quotient.above, quotient))
    return (
        ast.unparse(write_floor((raise_up(quotient),), quotient)) if name == "math.ceil" else None
    )


def split_quotient(node: ast.expr) -> Quotient | None:
    """What stands above and below the line; None of what is no quotient of whole numbers."""
    match node:
        case ast.BinOp(
            left=left, op=ast.Add() | ast.Sub() as op, right=ast.Constant(value=int(more))
        ):
            inner = split_quotient(left)
            if inner is None or not inner.below:
                return Quotient((node,), ())
            sign = 1 if isinstance(op, ast.Add) else -1
            return Quotient(inner.above, inner.below, inner.more + sign * more)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            return divide(
                split_quotient(left), split_quotient(right), node, isinstance(op, ast.Div)
            )
        case ast.Constant(value=float(number)):
            return split_float(number)
    divides = any(isinstance(each, (ast.Div, ast.Pow)) for each in ast.walk(node))
    return None if divides else Quotient((node,), ())


def divide(
    left: Quotient | None, right: Quotient | None, node: ast.expr, over: bool
) -> Quotient | None:
    """The product of two, or one over the other."""
    if left is None or right is None or left.more or right.more:
        return None
    if not over and not left.below and not right.below:
        return Quotient((node,), ())
    above, below = (right.below, right.above) if over else (right.above, right.below)
    return Quotient((*left.above, *drop_one(above)), (*left.below, *drop_one(below)))


def drop_one(factors: tuple[ast.expr, ...]) -> tuple[ast.expr, ...]:
    return tuple(
        each for each in factors if not (isinstance(each, ast.Constant) and each.value == 1)
    )


def split_float(number: float) -> Quotient | None:
    """3 and 4 of 0.75; None of what has no such exact fraction, as 0.1."""
    exact = Fraction(number)
    if exact.denominator > FINEST or exact <= 0:
        return None
    above, below = (ast.Constant(value) for value in exact.as_integer_ratio())
    return Quotient((above,), drop_one((below,)))


def raise_up(quotient: Quotient) -> ast.expr:
    """`a + k - 1` of `a / k`."""
    below = multiply(quotient.below)
    above = multiply(quotient.above)
    if isinstance(below, ast.Constant) and isinstance(below.value, int):
        return ast.BinOp(above, ast.Add(), ast.Constant(below.value - 1))
    return ast.BinOp(ast.BinOp(above, ast.Add(), below), ast.Sub(), ast.Constant(1))


def write_floor(above: tuple[ast.expr, ...], quotient: Quotient) -> ast.expr:
    """`a // b + more`."""
    whole = ast.BinOp(multiply(above), ast.FloorDiv(), multiply(quotient.below))
    if not quotient.more:
        return whole
    sign: ast.operator = ast.Add() if quotient.more > 0 else ast.Sub()
    return ast.BinOp(whole, sign, ast.Constant(abs(quotient.more)))


def multiply(factors: tuple[ast.expr, ...]) -> ast.expr:
    """Numbers that are written down come last."""
    ordered = sorted(factors or (ast.Constant(1),), key=lambda each: isinstance(each, ast.Constant))
    return reduce(lambda left, right: ast.BinOp(left, ast.Mult(), right), ordered)


class OperandFacts:
    """What the parts of an expression are worth, in every way that it is reached."""

    def __init__(self, call: ast.Call, evaluation: Evaluation) -> None:
        self._values: dict[int, list[Value]] = {}
        self._assigned = _list_assigned(call, evaluation)
        inside = {id(each) for each in ast.walk(call) if isinstance(each, ast.BinOp)}
        for _, event in evaluation.list_events({Combined}):
            if isinstance(event, Combined) and id(event.node) in inside:
                node = event.node
                assert isinstance(node, ast.BinOp)
                for side, value in ((node.left, event.left), (node.right, event.right)):
                    self._values.setdefault(id(side), []).append(value)
                self._values.setdefault(id(node), []).append(event.result)
        self._lent = [each for each in ast.walk(call) if self._is_lent(each)]

    def _is_lent(self, node: ast.AST) -> bool:
        """An attribute of a model that is known in one way, and not where it is given from elsewhere."""
        values = self._values.get(id(node), [])
        unknown = [isinstance(value, Unknown) for value in values]
        return isinstance(node, ast.Attribute) and any(unknown) and not all(unknown)

    def is_whole(self, node: ast.expr, signed: bool = False) -> bool:
        """Whether it surely is a whole number, of at least 0 where it is not to be signed."""
        if isinstance(node, ast.Constant):
            return type(node.value) is int and node.value >= 0
        values = self._values.get(id(node), [])
        known = [value for value in values if not isinstance(value, Unknown)]
        if not all(self._fits(node, value, signed) for value in known):
            return False
        return len(known) == len(values) > 0 or self._is_whole_where_unknown(node, known, signed)

    def _is_whole_where_unknown(self, node: ast.expr, known: list[Value], signed: bool) -> bool:
        """Where a model is reached that somebody else made: what it holds is as in those made here."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            sided = signed or not isinstance(node.op, ast.Sub)
            return sided and self.is_whole(node.left, signed) and self.is_whole(node.right, signed)
        follows = isinstance(node, (ast.Attribute, ast.Name)) and bool(self._lent)
        return (follows and bool(known)) or self._is_read_off_layer(node)

    def _fits(self, node: ast.expr, value: Value, signed: bool) -> bool:
        if isinstance(value, Constant):
            return type(value.value) is int and (signed or value.value >= 0)
        if isinstance(value, Number) and value.whole and not value.data:
            return signed or is_positive(node, value)
        return self._is_read_off_layer(node)

    def _is_read_off_layer(self, node: ast.expr) -> bool:
        """`self.stride[0]`, `sh` after `sh, sw = self.stride`."""
        if isinstance(node, ast.Name):
            given = self._assigned(node.id)
            return given is not None and self._is_read_off_layer(given)
        held = node.value if isinstance(node, ast.Subscript) else node
        return isinstance(held, ast.Attribute) and held.attr in WHOLE_ATTRIBUTES


def is_positive(node: ast.expr, value: Number) -> bool:
    """Whether a size is at least 0: by what is known of it, or since nothing is taken away in it."""
    bound = None if value.size is None else lower_bound(value.size)
    if bound is not None:
        return bound >= 0
    return not any(isinstance(each, (ast.Sub, ast.USub)) for each in ast.walk(node))


def _list_assigned(call: ast.Call, evaluation: Evaluation) -> Callable[[str], ast.expr | None]:
    """What a name of the function around a call was assigned, where that happens once."""
    events = evaluation.list_events({Combined})
    inside = {id(each) for each in ast.walk(call)}
    first = next((e for _, e in events if isinstance(e, Combined) and id(e.node) in inside), None)
    function = evaluation.find_function(first) if first is not None else None
    found: dict[str, list[ast.expr]] = {}
    for each in ast.walk(function) if function is not None else ():
        for target in each.targets if isinstance(each, ast.Assign) else ():
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            for part in parts:
                if isinstance(part, ast.Name) and isinstance(each, ast.Assign):
                    found.setdefault(part.id, []).append(each.value)
    return lambda name: found[name][0] if len(found.get(name, ())) == 1 else None
