"""A class in two: what builds it in a base class, the rest in the class itself."""

from __future__ import annotations

from typing import Any

import libcst as cst
import libcst.matchers as m

from rewriting.program import Program
from rewriting.statements import list_body, make_block, parse_statements


def split_class(program: Program) -> Program:
    """`class HeadBase(nn.Module)` with `__init__`, or with all where there is none, and `class Head(HeadBase)`."""
    return _split(program, lambda each: m.matches(each, m.FunctionDef(m.Name("__init__"))))


def lift_class(program: Program) -> Program:
    """All of a class in its base, and a class that adds nothing."""
    return _split(program, lambda each: True)


def _split(program: Program, lifts: Any) -> Program:
    module = program.module
    body: list[Any] = []
    for each in module.body:
        body += _split_one(each, program, lifts) if isinstance(each, cst.ClassDef) else [each]
    return program.change_to(module.with_changes(body=body))


def _split_one(node: cst.ClassDef, program: Program, lifts: Any) -> list[Any]:
    name = program.find_free_name(f"{node.name.value}Base")
    body = list_body(node)
    lifted = [each for each in body if lifts(each)] or body
    kept = [each for each in body if each not in lifted]
    if node.decorators:
        return [node]
    (derived,) = parse_statements(f"\n\nclass {node.name.value}({name}):\n    pass\n")
    base = node.with_changes(name=cst.Name(name), body=make_block(lifted))
    return [base, derived.with_changes(body=make_block(kept))]
