"""Statements that stand in a helper: in the same file, in another one, or in a method."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst
import libcst.matchers as m

from rewriting.bodies import BodyWrapper
from rewriting.names import (
    list_assigned,
    list_definitions,
    list_imports,
    list_names,
    list_parameters,
)
from rewriting.outlining import Outlined, outline, outline_value
from rewriting.program import Program
from rewriting.statements import (
    count_leading_imports,
    insert_below_imports,
    is_definition,
    is_import,
    list_body,
    make_block,
    parse_statements,
    split_prologue,
)


def move_to_function(program: Program) -> Program:
    """What functions do, and the values that `__init__` and the module assign, in functions above."""
    module = program.module
    outliner = _Outliner(program, passed=())
    changed = outliner.rewrite(module)
    return program.change_to(insert_below_imports(changed, outliner.functions))


def move_to_file(program: Program) -> Program:
    """The same in `helpers.py`, where what else the file defines is passed."""
    module = program.module
    own = [*list_definitions(module), *list_assigned(*filter(_is_plain, module.body))]
    outliner = _Outliner(program, passed=own)
    changed = outliner.rewrite(module)
    if not outliner.functions:
        return program
    names = ", ".join(function.name.value for function in outliner.functions)
    used = set(list_names(*outliner.functions)) & list_imports(module).keys()
    imports = [each for each in module.body if is_import(each) and _binds(each, used)]
    others = {"helpers": cst.Module([*imports, *outliner.functions]).code}
    line = parse_statements(f"from helpers import {names}\n")
    return program.change_to(insert_below_imports(changed, line), others)


def move_to_method(program: Program) -> Program:
    """What a method does in another method of its class; `__init__` calls `self.build_head()`."""
    return program.change_to(program.module.visit(_MethodMaker()))


def _is_plain(node: cst.CSTNode) -> bool:
    return not is_definition(node) and not is_import(node)


def _binds(node: Any, names: set[str]) -> bool:
    return bool(names & list_imports(cst.Module([node])).keys())


class _Outliner:
    """Collects the functions that it makes; the names in `passed` become parameters."""

    def __init__(self, program: Program, passed: Iterable[str]) -> None:
        self._program = program
        self._passed = tuple(passed)
        self.functions: list[cst.FunctionDef] = []

    def rewrite(self, module: cst.Module) -> cst.Module:
        changed = module.visit(BodyWrapper(self._rewrite_body))
        at = count_leading_imports(changed.body)
        rest = [
            self._rewrite_statement(each, self._passed) if _is_plain(each) else each
            for each in changed.body[at:]
        ]
        return changed.with_changes(body=[*changed.body[:at], *rest])

    def _rewrite_body(self, function: cst.FunctionDef, body: list[Any]) -> list[Any]:
        free = (*list_parameters(function), *_list_starred(function), *self._passed)
        if function.name.value == "__init__":
            inner = (*free, *list_assigned(*body, comprehensions=False))
            return [self._rewrite_statement(each, inner) for each in body]
        made = self._add(outline(self._name(function.name.value), body, free))
        return [cst.SimpleStatementLine([cst.Return(made.call)])] if made else body

    def _rewrite_statement(self, statement: Any, free: Sequence[str]) -> Any:
        """Of an assignment to a name or to `self` the value goes, else the statement."""
        if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
            return statement
        (part,) = statement.body
        if isinstance(part, cst.Expr) or _stores_below(part):
            made = self._add(outline(self._name("apply"), [statement], free))
            return cst.SimpleStatementLine([cst.Expr(made.call)]) if made else statement
        if isinstance(part, cst.Assign) and not m.matches(part.value, _TRIVIAL):
            made = self._add(outline_value(self._name("make"), part.value, free))
            if made:
                return statement.with_changes(body=[part.with_changes(value=made.call)])
        return statement

    def _name(self, stem: str) -> str:
        stem = f"{stem.strip('_')}_steps"
        taken = {each.name.value for each in self.functions}
        name, number = stem, 1
        while name in taken:
            number += 1
            name = f"{stem}_{number}"
        return self._program.find_free_name(name)

    def _add(self, made: Outlined | None) -> Outlined | None:
        if made is not None:
            self.functions.append(made.function)
        return made


_TRIVIAL = m.Name() | m.Integer() | m.Float() | m.SimpleString()


def _stores_below(part: cst.CSTNode) -> bool:
    """Whether `self.backbone.requires_grad = …` or alike is stored."""
    targets = [each.target for each in part.targets] if isinstance(part, cst.Assign) else []
    return any(
        isinstance(target, cst.Subscript | cst.Attribute)
        and not m.matches(target, m.Attribute(m.Name("self")))
        for target in targets
    )


def _list_starred(function: cst.FunctionDef) -> list[str]:
    given = (function.params.star_arg, function.params.star_kwarg)
    return [each.name.value for each in given if isinstance(each, cst.Param)]


class _MethodMaker(cst.CSTTransformer):
    """Splits the methods of classes."""

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        body: list[Any] = []
        for each in list_body(updated_node):
            of_class = original_node.name.value.lower()
            body += _split_method(each, of_class) if isinstance(each, cst.FunctionDef) else [each]
        return updated_node.with_changes(body=make_block(body))


def _split_method(method: cst.FunctionDef, of_class: str) -> list[Any]:
    name, given = method.name.value, list_parameters(method)
    first, rest = split_prologue(list_body(method))
    if given[:1] != ["self"] or _list_starred(method) or not rest or method.decorators:
        return [method]
    other = f"{'build' if name == '__init__' else name.strip('_')}_{of_class}"
    (made,) = parse_statements(f"def {other}({', '.join(given)}):\n    pass\n")
    word = "" if name == "__init__" else "return "
    call = parse_statements(f"{word}self.{other}({', '.join(given[1:])})\n")
    holder = method.with_changes(body=make_block([*first, *call]))
    return [holder, made.with_changes(body=make_block(rest))]
