"""Makes functions of statements, with what these read as parameters."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst
import libcst.matchers as m

from rewriting.bodies import can_move
from rewriting.names import list_names
from rewriting.renaming import Renamer
from rewriting.statements import make_block, parse_statements


@dataclass(frozen=True)
class Outlined:
    """A new function, and the call that takes the place of what it was made of."""

    function: cst.FunctionDef
    call: cst.Call


def outline(name: str, statements: Sequence[Any], free: Iterable[str]) -> Outlined | None:
    """A function of statements that reads the names in `free` as parameters; None where it cannot.

    `self.pool` becomes a parameter `pool` where the statements only read attributes of `self`.
    """
    if not can_move(statements):
        return None
    used = list_names(*statements)
    given = {each: each for each in used if each in set(free)}
    if "self" in given:
        attributes = _list_read_attributes(statements)
        taken = set(used) | set(dir(builtins))
        if attributes is None or attributes & taken:
            statements = [each.visit(Renamer({"self": "module"})) for each in statements]
            given = {"module" if k == "self" else k: v for k, v in given.items()}
        else:
            statements = [each.visit(_SelfRemover()) for each in statements]
            del given["self"]
            given = {**{each: f"self.{each}" for each in sorted(attributes)}, **given}
    (function,) = parse_statements(f"def {name}({', '.join(given)}):\n    pass\n")
    call = cst.parse_expression(f"{name}({', '.join(given.values())})")
    assert isinstance(call, cst.Call)
    return Outlined(function.with_changes(body=make_block(statements)), call)


def outline_value(name: str, value: cst.BaseExpression, free: Iterable[str]) -> Outlined | None:
    """A function that returns an expression."""
    return outline(name, [cst.SimpleStatementLine([cst.Return(value)])], free)


def _list_read_attributes(statements: Sequence[cst.CSTNode]) -> set[str] | None:
    """The attributes of `self` that are read; None where `self` is used otherwise, too."""
    reader = _SelfReader()
    for each in statements:
        each.visit(reader)
    return None if reader.otherwise else reader.read


class _SelfReader(cst.CSTVisitor):
    def __init__(self) -> None:
        self.read: set[str] = set()
        self.otherwise = False

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        if m.matches(node.value, m.Name("self")):
            self.read.add(node.attr.value)
            return False
        node.value.visit(self)
        return False

    def visit_Name(self, node: cst.Name) -> None:
        self.otherwise = self.otherwise or node.value == "self"

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._refuse(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._refuse(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._refuse(node.target)

    def _refuse(self, target: cst.CSTNode) -> None:
        stored = m.findall(target, m.Attribute(m.Name("self")))
        direct = isinstance(target, cst.Tuple) or m.matches(target, m.Attribute(m.Name("self")))
        self.otherwise = self.otherwise or (bool(stored) and direct)


class _SelfRemover(cst.CSTTransformer):
    """`pool` for `self.pool`."""

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if m.matches(original_node.value, m.Name("self")):
            return cst.Name(original_node.attr.value)
        return updated_node
