"""A class around a script: what a function is given, it keeps in `self`."""

from __future__ import annotations

from typing import Any

import libcst as cst

from rewriting.bodies import can_move
from rewriting.names import list_parameters
from rewriting.program import Program
from rewriting.statements import list_body, make_block, parse_statements


def make_trainer(program: Program) -> Program:
    """`def train(model, batches)` makes a `Trainer(model, batches)` and calls its `run()`."""
    module = program.module
    body: list[Any] = []
    for each in module.body:
        body += _make_class(each, program) if isinstance(each, cst.FunctionDef) else [each]
    return program.change_to(module.with_changes(body=body))


def _make_class(function: cst.FunctionDef, program: Program) -> list[Any]:
    given = list_parameters(function)
    starred = function.params.star_kwarg or isinstance(function.params.star_arg, cst.Param)
    statements = list_body(function)
    if not given or starred or function.decorators or not can_move(statements):
        return [function]
    stem = "".join(part.capitalize() for part in function.name.value.split("_"))
    name = program.find_free_name(f"{stem}Trainer")
    lines = "".join(f"        self.{each} = {each}\n" for each in given)
    heads = f"class {name}:\n    def __init__(self, {', '.join(given)}):\n{lines}"
    (made,) = parse_statements(f"\n\n{heads}\n    def run(self):\n        pass\n\n\n")
    init, run = made.body.body
    run = run.with_changes(body=make_block([s.visit(_ToAttributes(given)) for s in statements]))
    call = parse_statements(f"return {name}({', '.join(given)}).run()\n")
    return [
        made.with_changes(body=make_block([init, run])),
        function.with_changes(body=make_block(call)),
    ]


class _ToAttributes(cst.CSTTransformer):
    """`self.model` for `model`."""

    def __init__(self, names: list[str]) -> None:
        self._names = frozenset(names)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if original_node.value in self._names:
            return cst.Attribute(cst.Name("self"), updated_node)
        return updated_node

    def visit_Attribute_attr(self, node: cst.Attribute) -> None:
        """`leave_Attribute` puts back what is an attribute and no name."""

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        """A lambda with a parameter of such a name stays as it is."""
        return not {param.name.value for param in node.params.params} & self._names
