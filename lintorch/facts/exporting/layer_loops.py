"""`for i, block in enumerate(self.blocks)` for a loop that takes `self.blocks[i]` by its number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.facts.names.scopes import dotted_text
from lintorch.syntax.tree import walk


class EditsLoops(Protocol):
    """What knows the nodes of a file and what was assigned to them, and puts edits into it."""

    @property
    def text(self) -> str:
        """The file, its lines ended by a newline alone."""

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around this one, innermost first."""

    def code(self, node: cst.CSTNode) -> str:
        """A node as it is written."""

    def mentions_of(self, name: str) -> list[cst.Name]:
        """All places where an identifier stands by itself."""

    def built(self, expression: cst.CSTNode) -> tuple[cst.Call, ...]:
        """The calls that `self.x` was assigned from."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Other text in the place of a node."""


def loop_over_layers(item: cst.Subscript, file: EditsLoops) -> Fix | None:
    """The loop over modules instead of over their numbers, which are as many; None where that is not sure."""
    held, index = file.code(item.value), file.code(item.slice[0])
    around = list(file.ancestors(item))
    loop = next((each for each in around if isinstance(each, cst.For)), None)
    function = next((each for each in around if isinstance(each, cst.FunctionDef)), None)
    if loop is None or function is None or any(isinstance(each, cst.Lambda) for each in around):
        return None
    if not _counts(loop, item, file) or not isinstance(loop.target, cst.Name):
        return None
    if loop.target.value != index or not _only_reads(loop, held, index, file):
        return None
    return _write_loop(loop, function, item, file)


def _counts(loop: cst.For, item: cst.Subscript, file: EditsLoops) -> bool:
    """Whether a loop goes over `range(len(self.blocks))`, or over as many numbers as were listed."""
    turns = loop.iter
    if not isinstance(turns, cst.Call) or file.code(turns.func) != "range" or len(turns.args) != 1:
        return False
    count, held = file.code(turns.args[0].value), file.code(item.value)
    if count == f"len({held})":
        return True
    built = file.built(item.value)
    return bool(built) and all(_list_length(call) == count for call in built)


def _list_length(call: cst.Call) -> str:
    """Of `nn.ModuleList([a, b])`: "2"; "" where it is not written so."""
    given = call.args[0].value if len(call.args) == 1 and not call.args[0].star else None
    if isinstance(given, (cst.List, cst.Tuple)):
        starred = any(isinstance(each, cst.StarredElement) for each in given.elements)
        return "" if starred else str(len(given.elements))
    return ""


def _only_reads(loop: cst.For, held: str, index: str, file: EditsLoops) -> bool:
    """Whether nothing in a loop gives the number, or the layers, another value or length."""
    for each in walk(loop.body):
        if isinstance(each, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.CompFor, cst.For)):
            target = each.target
            if any(dotted_text(inner) in (held, index) for inner in walk(target)):
                return False
        if isinstance(each, cst.Attribute) and file.code(each.value) == held:
            return False
    return True


def _write_loop(
    loop: cst.For, function: cst.FunctionDef, item: cst.Subscript, file: EditsLoops
) -> Fix | None:
    same = [
        each
        for each in walk(loop.body)
        if isinstance(each, cst.Subscript) and file.code(each) == file.code(item)
    ]
    name, line = _find_name(loop, item, file)
    taken = {n.value for n in walk(function) if isinstance(n, cst.Name)}
    if not name:
        stem = file.code(item.value).rpartition(".")[2].removesuffix("s")
        name = next((n for n in (stem, "block", "layer", "each") if n not in taken), "")
    aliased = any(isinstance(e, cst.Assign) and e.value in same for e in walk(loop.body))
    if not name or (line is not None and len(same) > 1) or (line is None and aliased):
        return None
    index = file.code(loop.target)
    inside = {id(each.slice[0].slice.value) for each in same if isinstance(each.slice[0].slice, cst.Index)}  # fmt: skip
    uses = [n for n in walk(function) if isinstance(n, cst.Name) and n.value == index]
    counted = any(id(n) not in inside and n is not loop.target for n in uses)
    held = file.code(item.value)
    head = f"{index}, {name} in enumerate({held})" if counted else f"{name} in {held}"
    start, stop = file.replace(loop.target, "").start, file.replace(loop.iter, "").end
    if re.search(r"[\\\n]", file.text[start:stop]) or (
        isinstance(loop.iter, cst.Call) and loop.iter.lpar
    ):
        return None
    edits = [Edit(start, stop, head)]
    if line is None:
        edits += [file.replace(each, name) for each in same]
    else:
        whole = file.replace(line.body[0], "")
        gap = re.compile(r"[ \t]*\r?\n[ \t]*").match(file.text, whole.end)
        if gap is None:
            return None
        edits.append(Edit(whole.start, gap.end(), ""))
    return Fix(f"loop over {held}", tuple(edits), Applicability.SAFE)


def _find_name(
    loop: cst.For, item: cst.Subscript, file: EditsLoops
) -> tuple[str, cst.SimpleStatementLine | None]:
    """`block`, and the line, where the loop begins with a line `block = self.blocks[i]`."""
    lines = loop.body.body
    first = lines[0] if len(lines) > 1 else None
    if isinstance(first, cst.SimpleStatementLine) and len(first.body) == 1:
        given = first.body[0]
        if isinstance(given, cst.Assign) and given.value is item and len(given.targets) == 1:
            target = given.targets[0].target
            later = [each for line in lines[1:] for each in walk(line)]
            anew = any(
                isinstance(each, cst.AssignTarget) and file.code(each.target) == file.code(target)
                for each in later
            )
            if isinstance(target, cst.Name) and not anew:
                return target.value, first
    return "", None
