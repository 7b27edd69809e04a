"""Code that tries whether something exists, by whatever means, or means to fail."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.facts.api.version_guards import is_version_guarded
from lintorch.facts.classes.classes import HasClasses
from lintorch.facts.names.lookup import HasNames
from lintorch.syntax.parsed_file import HasFile, ParsedFile

_CAUGHT = re.compile(r"\b(Base)?Exception\b|RuntimeError|_ERRORS?\b")
_ASKS = re.compile(
    r"(?i:version|hasattr|getattr|avail|find_spec|installed|sys\.modules)|TYPE_CHECKING|TORCH_|[a-z]_PT\d"
)
"""What tests say that ask for a release, or whether something is there."""
_EXPECTS = re.compile(r"raises|suppress|assertRaises|patch", re.I)


def is_tentative(node: cst.CSTNode | None, source: HasClasses) -> bool:
    """Whether a node runs only where something was found to exist, or may fail by intention."""
    if node is None:
        return False
    return is_version_guarded(node, source) or any(
        _tries(inner, outer, source.file) for inner, outer in _up(node, source.file)
    )


def is_looked_up(name: str, source: HasFile) -> bool:
    """Whether the file speaks of an attribute as text: `hasattr(torch, "name")`, `"torch.name"`."""
    return bool(re.search(rf"""["'.]{re.escape(name)}["']""", source.file.text))


def is_added(dotted: str, source: HasNames) -> bool:
    """Whether the file itself assigns `torch.name`."""
    return any(
        source.names.name(target.target) == dotted
        for assign in source.file.nodes(cst.Assign)
        for target in assign.targets
        if isinstance(target.target, cst.Attribute)
    )


def _up(node: cst.CSTNode, file: ParsedFile) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    for outer in file.ancestors(node):
        yield node, outer
        node = outer


def _tries(inner: cst.CSTNode, outer: cst.CSTNode, file: ParsedFile) -> bool:
    """Whether `outer`, around `inner`, asks first or catches what may be raised."""
    if isinstance(outer, (cst.Try, cst.TryStar)):
        tried = inner is outer.body or inner in outer.handlers
        return tried and any(_catches(handler, file) for handler in outer.handlers)
    if isinstance(outer, (cst.If, cst.IfExp, cst.While)):
        return bool(_ASKS.search(file.code(outer.test)))
    if isinstance(outer, cst.BooleanOperation):
        return bool(_ASKS.search(file.code(outer)))
    if isinstance(outer, cst.With):
        return any(_EXPECTS.search(file.code(item.item)) for item in outer.items)
    if isinstance(outer, (cst.FunctionDef, cst.ClassDef)):
        told = any(_ASKS.search(file.code(decorator)) for decorator in outer.decorators)
        return told or (isinstance(outer, cst.FunctionDef) and any(_checks(outer, file)))
    return False


def _catches(handler: cst.ExceptHandler | cst.ExceptStarHandler, file: ParsedFile) -> bool:
    return handler.type is None or bool(_CAUGHT.search(file.code(handler.type)))


def _checks(function: cst.FunctionDef, file: ParsedFile) -> Iterator[bool]:
    """Tests of a function that ask and then leave it."""
    for test in file.nodes(cst.If):
        if file.enclosing(test, cst.FunctionDef) is function:
            yield bool(_ASKS.search(file.code(test.test)) and _leaves(test.body))


def _leaves(body: cst.BaseSuite) -> bool:
    last: cst.CSTNode = body.body[-1]
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, (cst.Return, cst.Raise, cst.Continue))
