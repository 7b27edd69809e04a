"""Names of compiled code that change their type within a branch or loop, where TorchScript lets none change."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.facts.exporting.compiled_code import CompiledCode
from lintorch.syntax.literals import UNKNOWN, literal

STATIC = ("isinstance", "hasattr", "is_scripting", "is_tracing", " is None", " is not None")
"""Words of tests that the compiler answers itself: the other branch is not compiled."""
_NAMES = {int: "an int", float: "a float", str: "a str", bool: "a bool", type(None): "None"}


def list_changed(here: CompiledCode) -> Iterator[tuple[cst.CSTNode, str]]:
    """Assignments within a branch or a loop, with what is told of each."""
    first: dict[tuple[cst.FunctionDef, str], str] = {}
    for line in here.nodes(cst.Assign):
        home, name = here.home(line), _name_target(line)
        kind = _kind(line.value)
        if home is not None and name and kind and _depth(line, home, here) == 0:
            first.setdefault((home, name), kind)
    changes: list[cst.Assign | cst.AugAssign] = [*here.nodes(cst.Assign)]
    for change in (*changes, *here.nodes(cst.AugAssign)):
        home, name = here.home(change), _name_target(change)
        before = first.get((home, name)) if home is not None and name else None
        if before is None or home is None or _depth(change, home, here) != 1:
            continue
        if later := _kind_later(change, before):
            yield change, f"{name} was {before} before, and is {later} here"


def _name_target(line: cst.Assign | cst.AugAssign) -> str:
    targets = (
        [each.target for each in line.targets] if isinstance(line, cst.Assign) else [line.target]
    )
    return targets[0].value if len(targets) == 1 and isinstance(targets[0], cst.Name) else ""


def _kind(value: cst.BaseExpression) -> str:
    plain = literal(value)
    return _NAMES.get(type(plain), "") if plain is not UNKNOWN else ""


def _kind_later(change: cst.Assign | cst.AugAssign, before: str) -> str:
    """What it becomes, where that surely is something else."""
    if isinstance(change, cst.AugAssign):
        divides = isinstance(change.operator, cst.DivideAssign)
        return "a float" if before == "an int" and (divides or _is_float(change.value)) else ""
    if before == "None":
        return "" if literal(change.value) is None else "something"
    kind = _kind(change.value)
    if not kind and before == "an int" and _is_float(change.value):
        kind = "a float"
    return kind if kind != before else ""


def _is_float(value: cst.BaseExpression) -> bool:
    """`0.5`, `n / 2`, `n * 0.5`: of a tensor it is no int either."""
    if not isinstance(value, cst.BinaryOperation):
        return type(literal(value)) is float
    return isinstance(value.operator, cst.Divide) or any(map(_is_float, (value.left, value.right)))


def _depth(line: cst.CSTNode, home: cst.FunctionDef, here: CompiledCode) -> int:
    """0 at the top of a function, 1 within what may be left out or repeated; 2 where it is not sure that it counts."""
    depth, inner = 0, line
    for outer in here.file.ancestors(line):
        if outer is home:
            return depth
        if isinstance(outer, cst.If) and inner is not outer.test:
            if any(word in here.file.code(outer.test) for word in STATIC):
                return 2
            depth = 1
        elif isinstance(outer, cst.While):
            depth = 1
        elif isinstance(outer, cst.For):  # a loop over modules is written out
            if not here.file.code(outer.iter).startswith("range("):
                return 2
            depth = 1
        inner = outer
    return 2


def list_unlike(here: CompiledCode) -> Iterator[tuple[cst.IfExp, str]]:
    """`1.0 if long else 0`."""
    for choice in here.nodes(cst.IfExp):
        one, other = _kind(choice.body), _kind(choice.orelse)
        numbers = {one, other} == {"an int", "a float"}
        if numbers and not any(word in here.file.code(choice.test) for word in STATIC):
            yield choice, f"{one} on one side, {other} on the other"
