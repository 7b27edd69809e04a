"""Statements among others: decorators, guards, f-strings, letters of more than one byte."""

from __future__ import annotations

from typing import Any, TypeVar

import libcst as cst
import libcst.matchers as m
from rewriting.bodies import BodyWrapper
from rewriting.statements import (
    count_leading_imports,
    insert_below_imports,
    is_import,
    make_block,
    parse_statements,
)

Definition = TypeVar("Definition", cst.FunctionDef, cst.ClassDef)
_FUTURE = m.SimpleStatementLine([m.ImportFrom(module=m.Name("__future__"))])


def put_wide_letters(text: str) -> str:
    """`"ü漢😀"; x = 1`: offsets in bytes, in characters and in columns differ."""
    return cst.parse_module(text).visit(_Letters()).code


def decorate(text: str) -> str:
    """A decorator on each function and class."""
    module = cst.parse_module(text).visit(_Decorator())
    return insert_below_imports(module, parse_statements("def kept(it):\n    return it\n")).code


def guard_by_version(text: str) -> str:
    """Bodies of functions under `if torch.__version__ >= "2.0"`."""
    head = 'if torch.__version__ >= "2.0":\n    pass\n'

    def wrap(_: cst.FunctionDef, body: list[Any]) -> list[Any]:
        (statement,) = parse_statements(head)
        return [statement.with_changes(body=make_block(body))]

    return cst.parse_module(text).visit(BodyWrapper(wrap)).code


def guard_imports(text: str) -> str:
    """`try: import x` and `except ImportError: raise`, for each import at the top."""
    module = cst.parse_module(text)
    made: list[Any] = []
    for each in module.body:
        if is_import(each) and not m.matches(each, _FUTURE):
            (guard,) = parse_statements("try:\n    pass\nexcept ImportError:\n    raise\n")
            made.append(guard.with_changes(body=make_block([each])))
        else:
            made.append(each)
    return module.with_changes(body=made).code


def put_in_f_strings(text: str) -> str:
    """`print(f"{…} {f'{…}'}")` behind each assignment of what a plain f-string can hold."""
    return cst.parse_module(text).visit(_FStrings()).code


def import_late(text: str) -> str:
    """The imports at the top stand below the functions and classes, above what runs."""
    module = cst.parse_module(text)
    at = count_leading_imports(module.body)
    top = [each for each in module.body[:at] if is_import(each) and not m.matches(each, _FUTURE)]
    head = [each for each in module.body[:at] if each not in top]
    rest = list(module.body[at:])
    last = max((i for i, each in enumerate(rest) if isinstance(each, cst.FunctionDef)), default=-1)
    if not top or any(not isinstance(each, cst.FunctionDef) for each in rest[: last + 1]):
        return text
    return module.with_changes(body=[*head, *rest[: last + 1], *top, *rest[last + 1 :]]).code


class _Letters(cst.CSTTransformer):
    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        kept = m.Import() | m.ImportFrom() | m.Expr(m.SimpleString() | m.ConcatenatedString())
        if m.matches(updated_node.body[0], kept):
            return updated_node
        (letters,) = parse_statements('"ü漢😀"; pass\n')[0].body[:1]
        return updated_node.with_changes(body=[letters, *updated_node.body])


class _Decorator(cst.CSTTransformer):
    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        return _add_decorator(updated_node)

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        return _add_decorator(updated_node)


class _FStrings(cst.CSTTransformer):
    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        part = updated_node.body[-1]
        if not isinstance(part, cst.Assign):
            return updated_node
        code = cst.Module([]).code_for_node(part.value)
        if any(sign in code for sign in "\"'\\\n#{}:=!"):
            return updated_node
        line = f"print(f\"a {{{code}}} {{f'{{{code}}}'}}\")\n"
        return cst.FlattenSentinel([updated_node, *parse_statements(line)])


def _add_decorator(node: Definition) -> Definition:
    changed: Definition = node.with_changes(
        decorators=[cst.Decorator(cst.Name("kept")), *node.decorators]
    )
    return changed
