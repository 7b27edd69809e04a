"""Code that tries whether something exists, or only runs under some release of a library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from lintorch.source.source import Source

_CAUGHT = re.compile(
    r"\b(Exception|BaseException|AttributeError|ImportError|ModuleNotFoundError|TypeError|RuntimeError)\b"
)
_ASKS = re.compile(
    r"(?i:version|hasattr|getattr|avail|support|find_spec|installed|signature|legacy)"
    r"|TYPE_CHECKING|\bhas_|\bHAS|TORCH|PT_?\d|(?i:torch_?(ge|gt|le|lt|\d)|_(ge|gt|le|lt)_)"
)
"""What tests say that ask for a release, or whether something is there."""
_EXPECTS = re.compile(r"raises|suppress|assertRaises|patch", re.I)


def is_tentative(node: cst.CSTNode, source: Source) -> bool:
    """Whether a node runs only where something was found to exist, or may fail by intention."""
    inner = node
    for outer in source.ancestors(node):
        if isinstance(outer, cst.Try) and (inner is outer.body or inner in outer.handlers):
            if any(_catches(handler, source) for handler in outer.handlers):
                return True
        elif isinstance(outer, (cst.If, cst.IfExp, cst.While, cst.BooleanOperation)):
            if _ASKS.search(_tests(outer, source)):
                return True
        elif isinstance(outer, cst.With):
            if any(_EXPECTS.search(source.code(item.item)) for item in outer.items):
                return True
        elif isinstance(outer, (cst.FunctionDef, cst.ClassDef)):
            if any(_ASKS.search(source.code(decorator)) for decorator in outer.decorators):
                return True
            if isinstance(outer, cst.FunctionDef) and any(_checks(outer, source)):
                return True
        inner = outer
    return False


def is_looked_up(name: str, source: Source) -> bool:
    """Whether the file speaks of an attribute as text: `hasattr(torch, "name")`, `patch("torch.name")`."""
    return bool(re.search(rf"""["'.]{re.escape(name)}["']""", source.text))


def is_added(dotted: str, source: Source) -> bool:
    """Whether the file itself assigns `torch.name`."""
    return any(
        source.name(target.target) == dotted
        for assign in source.nodes(cst.Assign)
        for target in assign.targets
        if isinstance(target.target, cst.Attribute)
    )


def _tests(outer: cst.CSTNode, source: Source) -> str:
    if isinstance(outer, (cst.If, cst.IfExp, cst.While)):
        return source.code(outer.test)
    return source.code(outer)


def _catches(handler: cst.ExceptHandler, source: Source) -> bool:
    return handler.type is None or bool(_CAUGHT.search(source.code(handler.type)))


def _checks(function: cst.FunctionDef, source: Source) -> Iterator[bool]:
    """Tests of a function that ask and then leave it."""
    for test in source.nodes(cst.If):
        if source.enclosing(test, cst.FunctionDef) is function:
            yield bool(_ASKS.search(source.code(test.test)) and _leaves(test.body))


def _leaves(body: cst.BaseSuite) -> bool:
    last = body.body[-1]
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, (cst.Return, cst.Raise, cst.Continue))
