"""Statements that share lines, and brackets that nobody needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

_SEMICOLON = cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))


def put_bodies_behind(text: str) -> str:
    """`def f(x): return x`, where a body has nothing but simple statements."""
    return cst.parse_module(text).visit(_BodyJoiner()).code


def join_lines(text: str) -> str:
    """`a = 1; b = 2`: simple statements that follow each other."""
    return cst.parse_module(text).visit(_LineJoiner()).code


def bracket_arguments(text: str) -> str:
    """`f((a), (b))` for `f(a, b)`, and what is assigned."""
    return cst.parse_module(text).visit(_Bracketer()).code


class _BodyJoiner(cst.CSTTransformer):
    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.BaseSuite:
        body = updated_node.body
        if (
            not all(isinstance(each, cst.SimpleStatementLine) for each in body)
            or updated_node.footer
        ):
            return updated_node
        return cst.SimpleStatementSuite(_list_parts(body))


class _LineJoiner(cst.CSTTransformer):
    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node.with_changes(body=_join(updated_node.body))

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        return updated_node.with_changes(body=_join(updated_node.body))


class _Bracketer(cst.CSTTransformer):
    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        kinds = cst.GeneratorExp | cst.NamedExpr | cst.Yield
        if isinstance(updated_node.value, kinds):
            return updated_node
        return updated_node.with_changes(value=_bracket(updated_node.value))

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        return updated_node.with_changes(value=_bracket(updated_node.value))


def _bracket(value: cst.BaseExpression) -> cst.BaseExpression:
    return value.with_changes(
        lpar=[cst.LeftParen(), *value.lpar], rpar=[*value.rpar, cst.RightParen()]
    )


def _join(body: Sequence[Any]) -> list[Any]:
    """Lines of simple statements that follow each other as one line."""
    made: list[Any] = []
    for each in body:
        last = made[-1] if made else None
        if isinstance(each, cst.SimpleStatementLine) and isinstance(last, cst.SimpleStatementLine):
            made[-1] = last.with_changes(body=_list_parts([last, each]))
        else:
            made.append(each)
    return made


def _list_parts(body: Sequence[Any]) -> list[Any]:
    parts = [part for line in body for part in line.body]
    return [
        part.with_changes(
            semicolon=_SEMICOLON if part is not parts[-1] else cst.MaybeSentinel.DEFAULT
        )
        for part in parts
    ]
