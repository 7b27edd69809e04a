"""Takes expressions out of a statement and puts them into statements above it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst
import libcst.matchers as m

from rewriting.program import Program
from rewriting.statements import insert_below_imports, parse_statements

_OWN_SCOPE = (cst.Lambda, cst.BaseComp, cst.IfExp, cst.BooleanOperation, cst.FormattedString)
"""What evaluates its parts later, often, or not at all."""


class Puller(cst.CSTTransformer):
    """Goes through one expression in the order of evaluation; `above` is what stands above it then."""

    def __init__(self, name: Callable[[], str]) -> None:
        self.above: list[Any] = []
        self.changed = False
        self._name = name
        self._root: cst.CSTNode | None = None

    def pull(self, expression: cst.BaseExpression, root: bool) -> cst.BaseExpression:
        """What is left of an expression; with `root` it may be taken as a whole."""
        self._root = None if root else expression
        left = expression.visit(self)
        assert isinstance(left, cst.BaseExpression)
        return left

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _OWN_SCOPE) or m.matches(node, m.Call(func=m.Name("super"))):
            return False
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode, updated_node: Any) -> Any:
        if isinstance(updated_node, cst.BaseExpression):
            return self.take(original_node, updated_node, original_node is self._root)
        return super().on_leave(original_node, updated_node)

    def take(self, original: cst.CSTNode, node: cst.BaseExpression, whole: bool) -> Any:
        """What stands in the place of an expression whose parts have been gone through."""
        raise NotImplementedError

    def new_name(self) -> str:
        """A name for something that has been taken out."""
        self.changed = True
        return self._name()

    def keep(self, value: cst.BaseExpression) -> cst.Name:
        """Assigns a value to a new name above."""
        name = self.new_name()
        self.above.append(assign(cst.Name(name), value))
        return cst.Name(name)


def assign(target: cst.BaseAssignTargetExpression, value: cst.BaseExpression) -> cst.CSTNode:
    """A statement that assigns."""
    part = cst.Assign([cst.AssignTarget(target)], value)
    return cst.SimpleStatementLine([part])


MakePuller = Callable[[Callable[[], str]], Puller]


def hoist(program: Program, make: MakePuller, stem: str, imports: Sequence[str] = ()) -> Program:
    """Rewrites each statement of functions and of the module by a puller of its own."""
    hoister = _Hoister(make, stem, program)
    changed = program.module.visit(hoister)
    if not hoister.changed:
        return program
    added = parse_statements("".join(f"{line}\n" for line in imports))
    return program.change_to(insert_below_imports(changed, added))


class _Hoister(cst.CSTTransformer):
    def __init__(self, make: MakePuller, stem: str, program: Program) -> None:
        self._make = make
        self._stem = stem
        self._program = program
        self._number = 0
        self._elifs: set[cst.CSTNode] = set()
        self.changed = False

    def _name(self) -> str:
        self._number += 1
        return self._program.find_free_name(f"{self._stem}_{self._number}")

    def visit_If(self, node: cst.If) -> None:
        if isinstance(node.orelse, cst.If):
            self._elifs.add(node.orelse)

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> Any:
        if original_node in self._elifs:
            return updated_node
        return self._pull_from(updated_node, "test", root=False)

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> Any:
        return self._pull_from(updated_node, "iter", root=False)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        if len(updated_node.body) != 1 or not hasattr(updated_node.body[0], "value"):
            return updated_node
        part = updated_node.body[0]
        if part.value is None or m.matches(part, m.Expr(m.SimpleString())):
            return updated_node
        puller = self._make(self._name)
        value = puller.pull(part.value, root=isinstance(part, cst.Return))
        return self._join(puller, updated_node.with_changes(body=[part.with_changes(value=value)]))

    def _pull_from(self, node: Any, field: str, root: bool) -> Any:
        puller = self._make(self._name)
        left = puller.pull(getattr(node, field), root=root)
        return self._join(puller, node.with_changes(**{field: left}))

    def _join(self, puller: Puller, node: Any) -> Any:
        self.changed = self.changed or puller.changed
        return cst.FlattenSentinel([*puller.above, node])
