"""Literals that stand elsewhere: in a constant, in the class, in a default, in settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import libcst as cst
import libcst.matchers as m

from rewriting.program import Program
from rewriting.statements import (
    insert_below_imports,
    list_body,
    make_block,
    parse_statements,
    split_prologue,
)

_LITERAL = (
    m.Integer()
    | m.Float()
    | m.SimpleString()
    | m.Name("True")
    | m.Name("False")
    | m.UnaryOperation(m.Minus(), m.Integer() | m.Float())
)
_SKIPPED = (
    *(cst.Param, cst.FormattedString, cst.ConcatenatedString, cst.Annotation, cst.Decorator),
    *(cst.Import, cst.ImportFrom),
)
"""Where a literal stays: it is no value there, or one that a function is made with."""


def move_to_constants(program: Program) -> Program:
    """`VALUE_1 = 7` at the top of the module."""
    return _move(
        program, "VALUE_{}".format, lambda values: "".join(f"{k} = {v}\n" for k, v in values)
    )


def move_to_dictionary(program: Program) -> Program:
    """`SETTINGS = {"value_1": 7}`, and `SETTINGS["value_1"]` where it is used."""

    def head(values: Iterable[tuple[str, str]]) -> str:
        items = ", ".join(f"{place.split('[')[1][:-1]}: {value}" for place, value in values)
        return f"SETTINGS = {{{items}}}\n"

    return _move(program, 'SETTINGS["value_{}"]'.format, head)


def move_to_dataclass(program: Program) -> Program:
    """Fields of a dataclass with defaults, and one instance at the top."""

    def head(values: Iterable[tuple[str, str]]) -> str:
        lines = [
            f"    {place.partition('.')[2]}: {_type_of(value)} = {value}\n"
            for place, value in values
        ]
        start = "import dataclasses\n@dataclasses.dataclass\nclass Settings:\n"
        return f"{start}{''.join(lines)}settings = Settings()\n"

    return _move(program, "settings.value_{}".format, head)


def move_to_argparse(program: Program) -> Program:
    """Defaults of a parser of the command line."""

    def head(values: Iterable[tuple[str, str]]) -> str:
        lines = [
            f'parser.add_argument("--value-{n}", type={_type_of(value)}, default={value})\n'
            for n, (_, value) in enumerate(values, 1)
        ]
        start = "import argparse\nparser = argparse.ArgumentParser()\n"
        return f"{start}{''.join(lines)}args = parser.parse_args()\n"

    return _move(program, "args.value_{}".format, head)


def move_to_class(program: Program) -> Program:
    """`value_1 = 7` in the class, and `self.value_1` in its methods."""
    mover = _ClassMover()
    return program.change_to(program.module.visit(mover))


def move_to_defaults(program: Program) -> Program:
    """`def forward(self, x, value_1=7)`."""
    return program.change_to(program.module.visit(_DefaultMover()))


def _type_of(value: str) -> str:
    if value in ("True", "False"):
        return "bool"
    if value.lstrip("rbu")[:1] in "'\"":
        return "str"
    return "int" if value.lstrip("- ").isdigit() else "float"


def _move(
    program: Program,
    spell: Callable[[int], str],
    head: Callable[[list[tuple[str, str]]], str],
) -> Program:
    module = program.module
    taker = LiteralTaker(spell)
    changed = module.visit(taker)
    if not taker.taken or set(program.names_of_proof) & {"SETTINGS", "settings", "args", "parser"}:
        return program
    return program.change_to(insert_below_imports(changed, parse_statements(head(taker.taken))))


class LiteralTaker(cst.CSTTransformer):
    """Takes literals out of calls, operators and assignments; the same one twice is taken twice."""

    def __init__(self, spell: Callable[[int], str]) -> None:
        self._spell = spell
        self.taken: list[tuple[str, str]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _SKIPPED) or m.matches(node, _LITERAL | m.Expr(m.SimpleString())):
            return False
        return super().on_visit(node)

    def on_leave(self, original_node, updated_node):  # type: ignore[no-untyped-def]
        if m.matches(original_node, _LITERAL):
            place = self._spell(len(self.taken) + 1)
            self.taken.append((place, cst.Module([]).code_for_node(original_node)))
            return cst.parse_expression(place)
        return super().on_leave(original_node, updated_node)


class _ClassMover(cst.CSTTransformer):
    """Moves the literals of methods into their class."""

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        taker = LiteralTaker("self.value_{}".format)
        body = [_visit_method(each, taker) for each in list_body(updated_node)]
        head = "".join(f"{place.partition('.')[2]} = {value}\n" for place, value in taker.taken)
        first, rest = split_prologue(body)
        return updated_node.with_changes(body=make_block([*first, *parse_statements(head), *rest]))


def _visit_method(node: cst.CSTNode, taker: LiteralTaker) -> cst.CSTNode:
    if isinstance(node, cst.FunctionDef) and not node.decorators:
        return node.with_changes(body=node.body.visit(taker))
    return node


class _DefaultMover(cst.CSTTransformer):
    """Moves the literals of outermost functions into their defaults."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        given = updated_node.params
        if given.star_kwarg or not isinstance(given.star_arg, cst.MaybeSentinel):
            return updated_node
        taker = LiteralTaker("value_{}".format)
        body = updated_node.body.visit(taker)
        added = [
            cst.Param(cst.Name(name), default=cst.parse_expression(value))
            for name, value in taker.taken
        ]
        return updated_node.with_changes(
            body=body, params=given.with_changes(params=[*given.params, *added])
        )
