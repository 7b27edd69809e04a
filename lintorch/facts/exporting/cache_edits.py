"""What a forward makes once and keeps, made at each call: `if self.grid is None:` goes, `if key not in GRIDS:` too."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.facts.classes.classes import is_self
from lintorch.syntax.tree import offspring


class EditsFile(Protocol):
    """What knows the text of nodes, and puts edits into a file."""

    @property
    def text(self) -> str:
        """The whole file."""

    def code(self, node: cst.CSTNode) -> str:
        """A node as it is written."""

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around another."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Other text in the place of a node."""


def fill_each_time(test: cst.If, file: EditsFile) -> Fix | None:
    """The lines of a test for what is kept, without the test; None where it asks for anything else too."""
    lines = list(_list_lines(test))
    kept = {_name_kept(each.targets[0].target, file) for each in lines} - {""}
    if not kept or len(lines) != len(test.body.body) or isinstance(file.parent(test), cst.If):
        return None
    parts = list(_split(test.test))
    mixed = any(isinstance(each, cst.BooleanOperation) for each in parts)
    asked = [kept & set(_read_kept(part, kept, file)) for part in parts]
    if test.orelse is not None or "#" in file.code(test) or mixed or not all(asked):
        return None
    open_still = set(kept)
    for line in lines:
        if open_still & set(_read_kept(line.value, kept, file)):
            return None
        open_still.discard(_name_kept(line.targets[0].target, file))
    start = file.replace(test, "").start
    margin = file.text[max(file.text.rfind(each, 0, start) for each in "\r\n") + 1 : start]
    if margin.strip():
        return None
    text = f"\n{margin}".join(file.code(line) for line in lines)
    last = file.replace(lines[-1], "").end
    return Fix("fill it at each call", (Edit(start, last, text),), Applicability.UNSAFE)


def _list_lines(test: cst.If) -> Iterator[cst.Assign]:
    """The lines that give one attribute, name or entry a value."""
    for line in test.body.body:
        small = line.body if isinstance(line, cst.SimpleStatementLine) else ()
        if len(small) == 1 and isinstance(small[0], cst.Assign) and len(small[0].targets) == 1:
            given = small[0].targets[0].target
            own = isinstance(given, cst.Attribute) and is_self(given.value)
            if own or isinstance(given, cst.Name) or _split_entry(given) is not None:
                yield small[0]


def _split_entry(node: cst.CSTNode) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """`GRIDS` and `key` of `GRIDS[key]`."""
    match node:
        case cst.Subscript(
            value=cst.Name() | cst.Attribute() as held,
            slice=[cst.SubscriptElement(slice=cst.Index(value=key, star=None))],
        ):
            return held, key
    return None


def _name_kept(given: cst.CSTNode, file: EditsFile) -> str:
    """`self.grid`, `GRIDS[key]`, "" of a name."""
    entry = _split_entry(given)
    if entry is not None:
        return f"{file.code(entry[0])}[{file.code(entry[1])}]"
    return file.code(given) if isinstance(given, cst.Attribute) else ""


def _split(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """`a` and `b` of `a or b`: one of them is enough for what is kept to be made."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or):
        yield from _split(test.left)
        yield from _split(test.right)
    else:
        yield test


def _read_kept(node: cst.CSTNode, kept: Set[str], file: EditsFile) -> Iterator[str]:
    """`self.grid`, and each kept entry of the `GRIDS` that an expression reads; of `key not in GRIDS` the one it asks for."""
    match node:
        case cst.Comparison(
            left=key, comparisons=[cst.ComparisonTarget(operator=cst.NotIn(), comparator=held)]
        ):
            yield f"{file.code(held)}[{file.code(key)}]"
            return
        case cst.Name() | cst.Attribute():
            text = file.code(node)
            yield from (each for each in kept if each == text or each.startswith(f"{text}["))
    for each in offspring(node):
        yield from _read_kept(each, kept, file)
