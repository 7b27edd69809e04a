"""Which assignments a local name may stand for at one place: the last ones on each way there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst

from lintorch.syntax.parsed_file import HasAncestors
from lintorch.syntax.tree import offspring

_LEAVING = (cst.Return, cst.Raise, cst.Continue, cst.Break)


@dataclass(frozen=True, eq=False)
class Definition:
    """What a name was given: an expression, or the part of it at `index`; None: cannot be told."""

    value: cst.BaseExpression | None
    index: int | None = None


UNTOLD = Definition(None)
_BINDING = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For)
_SMALL_SCOPES = (cst.Lambda, cst.GeneratorExp, cst.ListComp, cst.SetComp, cst.DictComp)
_Found = tuple[list[Definition], bool]
"""Definitions, and whether one may come past without meeting any."""


def reaching_definitions(name: cst.Name, file: HasAncestors) -> list[Definition]:
    """The definitions of a local name that may hold where it is read; [] of what is not local."""
    found: list[Definition] = []
    inner: cst.CSTNode = name
    for outer in file.ancestors(name):
        if isinstance(outer, _SMALL_SCOPES):
            if _is_own(outer, name.value):
                return [UNTOLD]
        elif isinstance(outer, (cst.IndentedBlock, cst.Module)):
            body = cast("Sequence[cst.CSTNode]", outer.body)
            before, past = _backwards(body[: _index(body, inner)], name.value)
            found += before
            if not past:
                return found
        elif isinstance(outer, (cst.FunctionDef, cst.ClassDef)):
            return [*found, UNTOLD] if found else _param(outer, name.value)
        elif inner is getattr(outer, "body", None):
            found += _around(outer, name.value)
        inner = outer
    return [*found, UNTOLD] if found else []


def _is_own(scope: cst.CSTNode, name: str) -> bool:
    """Whether a lambda or comprehension binds the name itself."""
    if isinstance(scope, cst.Lambda):
        return _mentions(scope.params, name)
    loop = getattr(scope, "for_in", None)
    while loop is not None and not _mentions(loop.target, name):
        loop = loop.inner_for_in
    return loop is not None


def _index(body: Sequence[cst.CSTNode], node: cst.CSTNode) -> int:
    return next(i for i, item in enumerate(body) if item is node)


def _around(outer: cst.CSTNode, name: str) -> list[Definition]:
    """What the head of a compound statement binds, and what a loop carries round."""
    heads = [getattr(outer, "target", None)] if isinstance(outer, cst.For) else []
    heads += list(outer.items) if isinstance(outer, cst.With) else []
    found = [UNTOLD for head in heads if head is not None and _mentions(head, name)]
    if isinstance(outer, (cst.For, cst.While)):
        found += _backwards(outer.body.body, name)[0]
    return found


def _param(function: cst.CSTNode, name: str) -> list[Definition]:
    params = function.params if isinstance(function, cst.FunctionDef) else None
    return [UNTOLD] if params is not None and _mentions(params, name) else []


def _backwards(statements: Sequence[cst.CSTNode], name: str) -> _Found:
    found: list[Definition] = []
    for statement in reversed(statements):
        definitions, past = _of(statement, name)
        found += definitions
        if not past:
            return found, False
    return found, True


def _of(statement: cst.CSTNode, name: str) -> _Found:
    """What one statement leaves a name with."""
    if isinstance(statement, cst.SimpleStatementLine):
        return _backwards(statement.body, name)
    if isinstance(statement, cst.If):
        other = statement.orelse
        branches = [_block(statement.body, name), _of(other, name) if other else ([], True)]
        return _either(branches)
    if isinstance(statement, cst.Else):
        return _block(statement.body, name)
    if isinstance(statement, cst.With):
        held = [item for item in statement.items if item.asname and _mentions(item.asname, name)]
        found, past = _block(statement.body, name)
        return ([*found, UNTOLD], False) if held and past else (found, past)
    if isinstance(statement, (cst.For, cst.While)):
        found = _around(statement, name)
        return found, True
    if isinstance(statement, (cst.BaseCompoundStatement,)):
        return ([UNTOLD], False) if _binds(statement, name) else ([], True)
    return _small(statement, name)


def _block(block: cst.BaseSuite, name: str) -> _Found:
    statements = cast("Sequence[cst.CSTNode]", block.body)
    last = statements[-1] if statements else None
    last = last.body[-1] if isinstance(last, cst.SimpleStatementLine) and last.body else last
    if isinstance(last, _LEAVING):
        return [], False
    return _backwards(statements, name)


def _either(branches: Iterable[_Found]) -> _Found:
    found, past = [], False
    for definitions, by in branches:
        found += definitions
        past = past or by
    return found, past


def _small(statement: cst.CSTNode, name: str) -> _Found:
    if isinstance(statement, cst.Assign):
        for target in statement.targets:
            if (given := _given(target.target, statement.value, name)) is not None:
                return [given], False
    if isinstance(statement, cst.AnnAssign) and statement.value is not None:
        given = _given(statement.target, statement.value, name)
        if given is not None:
            return [given], False
    if _changes(statement, name):
        return [UNTOLD], False
    return [], True


def _given(target: cst.BaseExpression, value: cst.BaseExpression, name: str) -> Definition | None:
    if isinstance(target, cst.Name):
        return Definition(value) if target.value == name else None
    if not isinstance(target, (cst.Tuple, cst.List)):
        return None
    for index, element in enumerate(target.elements):
        if isinstance(element.value, cst.Name) and element.value.value == name:
            starred = any(isinstance(e, cst.StarredElement) for e in target.elements)
            return UNTOLD if starred else Definition(value, index)
    return None


def _changes(statement: cst.CSTNode, name: str) -> bool:
    """Whether a statement may change a name in some other way: `x += 1`, `x.log_()`, a walrus."""
    if isinstance(statement, (cst.Del, cst.Import, cst.ImportFrom)):
        return _mentions(statement, name)
    if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        func = statement.value.func
        own = isinstance(func, cst.Attribute) and _is(func.value, name)
        if own and isinstance(func, cst.Attribute) and func.attr.value.endswith("_"):
            return True
    return _binds(statement, name)


def _binds(node: cst.CSTNode, name: str) -> bool:
    """Whether any assignment below a node binds a name, nested scopes left out."""
    if isinstance(node, _BINDING) and _mentions(node.target, name):
        return True
    if isinstance(node, cst.AsName) and _mentions(node, name):
        return True
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        return node.name.value == name
    return any(_binds(child, name) for child in offspring(node))


def _mentions(node: cst.CSTNode, name: str) -> bool:
    return _is(node, name) or any(_mentions(child, name) for child in offspring(node))


def _is(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
