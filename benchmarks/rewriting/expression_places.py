"""Expressions that go through a local, a tuple, or a walrus."""

from __future__ import annotations

from typing import Any

import libcst as cst
import libcst.matchers as m

from rewriting.hoisting import Puller, assign, hoist
from rewriting.program import Program

_COMPOUND = (cst.Call, cst.Subscript, cst.BinaryOperation, cst.Comparison, cst.UnaryOperation)


def put_into_locals(program: Program) -> Program:
    """Each call, subscript and operator has a statement of its own."""
    return hoist(program, _IntoLocals, "part")


def put_through_tuples(program: Program) -> Program:
    """The receiver and the arguments of a call are assigned as one tuple: `a, b = x, int(n)`."""
    return hoist(program, _ThroughTuple, "item")


def put_into_walrus(program: Program) -> Program:
    """`f((n := g(x)))`, and tests alike."""
    return hoist(program, _IntoWalrus, "named")


def _is_number(node: cst.CSTNode) -> bool:
    return m.matches(node, m.UnaryOperation(m.Minus(), m.Integer() | m.Float()))


class _IntoLocals(Puller):
    def take(self, original: cst.CSTNode, node: cst.BaseExpression, whole: bool) -> Any:
        if whole or not isinstance(node, _COMPOUND) or _is_number(node):
            return node
        return self.keep(node)


class _ThroughTuple(Puller):
    """Takes parts of the outermost call of a statement alone: what is inside goes with them."""

    def on_visit(self, node: cst.CSTNode) -> bool:
        return False

    def take(self, original: cst.CSTNode, node: cst.BaseExpression, whole: bool) -> Any:
        if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
            return node
        func = node.func
        parts = [arg.value for arg in node.args]
        receiver = isinstance(func, cst.Attribute) and isinstance(func.value, cst.Call)
        if receiver and m.matches(func, m.Attribute(m.Call(func=m.Name("super")))):
            return node
        parts = [func.value, *parts] if receiver else parts  # type: ignore[attr-defined]
        if len(parts) < 2 or any(isinstance(part, cst.GeneratorExp) for part in parts):
            return node
        names = [cst.Name(self.new_name()) for _ in parts]
        target = cst.Tuple([cst.Element(name) for name in names], lpar=[], rpar=[])
        value = cst.Tuple([cst.Element(part) for part in parts], lpar=[], rpar=[])
        self.above.append(assign(target, value))
        rest = names[1:] if receiver else names
        args = [arg.with_changes(value=name) for arg, name in zip(node.args, rest, strict=True)]
        func = func.with_changes(value=names[0]) if receiver else func
        return node.with_changes(func=func, args=args)


class _IntoWalrus(Puller):
    def take(self, original: cst.CSTNode, node: cst.BaseExpression, whole: bool) -> Any:
        if whole or not isinstance(node, cst.Call | cst.Subscript | cst.Comparison):
            return node
        left, right = [cst.LeftParen()], [cst.RightParen()]
        return cst.NamedExpr(cst.Name(self.new_name()), node, lpar=left, rpar=right)
