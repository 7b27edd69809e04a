"""Statements: what is made of templates, where imports end, and what a function is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst
import libcst.matchers as m

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement
Suited = cst.FunctionDef | cst.ClassDef | cst.For
_SUPER_INIT = m.SimpleStatementLine(
    [m.Expr(m.Call(func=m.Attribute(m.Call(func=m.Name("super")), m.Name("__init__"))))]
)
_TEXT = m.SimpleStatementLine([m.Expr(m.SimpleString() | m.ConcatenatedString())])
_IMPORT = m.SimpleStatementLine([m.Import() | m.ImportFrom()])


def parse_statements(text: str) -> list[Any]:
    """The statements of a text."""
    return list(cst.parse_module(text).body)


def is_import(node: cst.CSTNode) -> bool:
    """Whether a statement is an import, alone on its line."""
    return m.matches(node, _IMPORT)


def count_leading_imports(body: Sequence[cst.CSTNode]) -> int:
    """The number of statements up to the last import, all of them texts and imports."""
    return next(
        (n for n, each in enumerate(body) if not (is_import(each) or m.matches(each, _TEXT))),
        len(body),
    )


def insert_below_imports(module: cst.Module, statements: Sequence[Any]) -> cst.Module:
    """The module with further statements between its imports and the rest."""
    if not statements:
        return module
    at = count_leading_imports(module.body)
    return module.with_changes(body=[*module.body[:at], *statements, *module.body[at:]])


def list_body(node: Suited) -> list[Any]:
    """The statements of a function, class or loop; those of `def f(): pass` on one line, too."""
    if isinstance(node.body, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(node.body.body)]
    return list(node.body.body)


def split_prologue(body: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """What must stay first in a function (docstring, `super().__init__()`), and the rest."""
    at = 0
    while at < len(body) and (m.matches(body[at], _SUPER_INIT) or m.matches(body[at], _TEXT)):
        at += 1
    return list(body[:at]), list(body[at:])


def make_block(statements: Sequence[Any]) -> cst.IndentedBlock:
    """An indented block; `pass` where there is nothing in it."""
    return cst.IndentedBlock(body=list(statements) or parse_statements("pass\n"))


def is_definition(node: cst.CSTNode) -> bool:
    """Whether a statement defines a function or a class."""
    return isinstance(node, cst.FunctionDef | cst.ClassDef)
