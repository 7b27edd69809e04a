"""The body of a function under a head: in a block, a nested function, behind an early return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst
import libcst.matchers as m

from rewriting.names import list_parameters
from rewriting.program import Program
from rewriting.statements import (
    count_leading_imports,
    insert_below_imports,
    is_definition,
    list_body,
    make_block,
    parse_statements,
    split_prologue,
)

Wrap = Callable[[list[Any]], list[Any]]
"""From the statements of a body to those that take their place."""


def put_in_try(program: Program) -> Program:
    """`try: … except KeyError: raise`."""
    return _wrap_bodies(program, _fill("try:\n    pass\nexcept KeyError:\n    raise\n"))


def put_in_nullcontext(program: Program) -> Program:
    """`with nullcontext(): …`."""
    head = ["from contextlib import nullcontext"]
    return _wrap_bodies(program, _fill("with nullcontext():\n    pass\n"), head)


def put_in_loop(program: Program) -> Program:
    """`for _ in range(1): …`."""
    return _wrap_bodies(program, _fill("for _ in range(1):\n    pass\n"))


def put_in_match(program: Program) -> Program:
    """`match "always": case _: …`."""

    def wrap(body: list[Any]) -> list[Any]:
        (statement,) = parse_statements('match "always":\n    case _:\n        pass\n')
        (case,) = statement.cases
        return [statement.with_changes(cases=[case.with_changes(body=make_block(body))])]

    return _wrap_bodies(program, wrap)


def put_behind_return(program: Program) -> Program:
    """`if image is None: return None` ahead of a body."""

    def wrap(function: cst.FunctionDef, body: list[Any]) -> list[Any]:
        given = [name for name in list_parameters(function) if name not in ("self", "cls")]
        if not given:
            return body
        return [*parse_statements(f"if {given[0]} is None:\n    return None\n"), *body]

    return program.change_to(program.module.visit(BodyWrapper(wrap)))


def put_in_nested_function(program: Program) -> Program:
    """`def inner(x): …` in the function, and `return inner(x)`."""
    name = program.find_free_name("inner")

    def wrap(function: cst.FunctionDef, body: list[Any]) -> list[Any]:
        if function.name.value == "__init__":
            return body
        given = [each for each in list_parameters(function) if each not in ("self", "cls")]
        (nested,) = parse_statements(f"def {name}({', '.join(given)}):\n    pass\n")
        call = parse_statements(f"return {name}({', '.join(given)})\n")
        return [nested.with_changes(body=make_block(body)), *call]

    return program.change_to(program.module.visit(BodyWrapper(wrap)))


def _fill(text: str) -> Wrap:
    def wrap(body: list[Any]) -> list[Any]:
        (statement,) = parse_statements(text)
        return [statement.with_changes(body=make_block(body))]

    return wrap


def _wrap_bodies(program: Program, wrap: Wrap, imports: Sequence[str] = ()) -> Program:
    changed = program.module.visit(BodyWrapper(lambda _, body: wrap(body)))
    changed = changed.with_changes(body=_wrap_script(changed.body, wrap))
    if changed.code == program.text:
        return program
    added = parse_statements("".join(f"{line}\n" for line in imports))
    return program.change_to(insert_below_imports(changed, added))


def _wrap_script(body: Sequence[Any], wrap: Wrap) -> list[Any]:
    """The statements of a module that define nothing, wrapped run by run."""
    at = count_leading_imports(body)
    made, run = list(body[:at]), list[Any]()
    for statement in body[at:]:
        if is_definition(statement):
            made += [*(wrap(run) if run else ()), statement]
            run = []
        else:
            run.append(statement)
    return [*made, *(wrap(run) if run else ())]


class BodyWrapper(cst.CSTTransformer):
    """Wraps what outermost functions and methods do, but for `super().__init__()` and docstrings."""

    def __init__(self, wrap: Callable[[cst.FunctionDef, list[Any]], list[Any]]) -> None:
        self._wrap = wrap

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        first, rest = split_prologue(list_body(original_node))
        if not rest or not can_move(rest):
            return updated_node
        return updated_node.with_changes(
            body=make_block([*first, *self._wrap(original_node, rest)])
        )


def can_move(statements: Sequence[cst.CSTNode]) -> bool:
    """Whether statements mean the same in another function."""
    bound = m.Yield() | m.Await() | m.Nonlocal() | m.Global() | m.Call(func=m.Name("super"))
    return not any(m.findall(each, bound) for each in statements)
