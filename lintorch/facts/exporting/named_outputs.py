"""Models of transformers that give an object of named outputs however they are configured.

    @can_return_tuple
    def forward(self, x, **kwargs):
        outputs = self.encoder(x, **kwargs)
        return BaseModelOutput(self.norm(outputs.last_hidden_state))

With `config.return_dict = False` such a forward gives a tuple. So does that of the encoder, which is
made with the same configuration, and what it gives has no names then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import libcst as cst

from lintorch.facts.classes.classes import ClassInfo, HasClasses
from lintorch.facts.exporting.function_bodies import nodes_in_body
from lintorch.syntax.parsed_file import HasFile
from lintorch.syntax.tree import offspring, walk

CAPTURES = "capture_outputs"
"""It takes apart what forward gives, and so fails on a tuple."""
GIVERS = ("can_return_tuple", CAPTURES)
_OF_BOTH = frozenset({"to_tuple", "count", "index"})
_SWITCH = "return_dict"


class HasParts(HasClasses, HasFile, Protocol):
    """A file whose classes, names and nodes are known."""

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around this one."""

    def code(self, node: cst.CSTNode) -> str:
        """The node's own text."""


def find_named_read(
    info: ClassInfo, source: HasParts, around: frozenset[ClassInfo] = frozenset()
) -> cst.CSTNode | None:
    """What raises in the forward of a class that heeds `config.return_dict`, where that is off.

    None has a place in no trace either. `around`: the classes that it is a part of.
    """
    forward = info.methods.get("forward")
    if forward is None:
        return None
    if not list_givers(forward, source):
        return next(_list_nones(forward, source), None)
    return next(_list_failing(info, forward, source, around | {info}), None)


def list_givers(forward: cst.FunctionDef, source: HasClasses) -> set[str]:
    """The decorators that make a tuple of what it gives, where the configuration asks for one."""
    calls = (each.decorator for each in forward.decorators)
    names = (source.names.name(each.func if isinstance(each, cst.Call) else each) for each in calls)
    parts = (name.rpartition(".") for name in names)
    return {last for home, _, last in parts if last in GIVERS and "transformers" in home}


def _list_failing(
    info: ClassInfo, forward: cst.FunctionDef, source: HasParts, around: frozenset[ClassInfo]
) -> Iterator[cst.CSTNode]:
    if CAPTURES in list_givers(forward, source) and any(_list_tuples(forward, source)):
        yield forward.name
    for call in nodes_in_body(forward, cst.Call, source):
        part = _find_part(call, info, source)
        if (
            part is None
            or part in around
            or any(e.keyword and e.keyword.value == _SWITCH for e in call.args)
        ):
            continue
        if find_named_read(part, source, around) is not None:
            yield call
        given = source.classes.method(part, "forward")
        if given is not None and list_givers(given, source):
            yield from _list_reads(call, source)


def _list_nones(forward: cst.FunctionDef, source: HasParts) -> Iterator[cst.CSTNode]:
    """`if not return_dict: return (x, None) + others`, of one that asks its configuration."""
    if f"self.config.{_SWITCH}" not in source.code(forward):
        return
    for line in _list_tuples(forward, source):
        beside = line.value
        while isinstance(beside, cst.BinaryOperation):
            beside = beside.left
        for each in beside.elements if isinstance(beside, cst.Tuple) else ():
            if isinstance(each.value, cst.Name) and each.value.value == "None":
                yield line


def _list_tuples(forward: cst.FunctionDef, source: HasParts) -> Iterator[cst.Return]:
    """What is given as a tuple of its own accord: `if not return_dict: return (x,)`."""
    for branch in nodes_in_body(forward, cst.If, source):
        if source.code(branch.test) == f"not {_SWITCH}":
            yield from (each for each in walk(branch.body) if isinstance(each, cst.Return))


def _find_part(call: cst.Call, info: ClassInfo, source: HasParts) -> ClassInfo | None:
    """The class of the file of a part that is called, and was made with the configuration of the whole."""
    made = source.classes.built(call.func) if isinstance(call.func, cst.Attribute) else ()
    start = info.methods.get("__init__")
    if len(made) != 1 or start is None or not made[0].args:
        return None
    names = [each.name.value for each in start.params.params[1:2]]
    first = made[0].args[0].value
    if not isinstance(first, cst.Name) or first.value not in names:
        return None
    found = source.classes.named(source.names.name(made[0].func))
    return found if found is not None and found.is_module else None


def _list_reads(call: cst.Call, source: HasParts) -> Iterator[cst.CSTNode]:
    """Where a name is read off what a call gives: at once, or of the name that it is assigned to."""
    line = source.parent(call)
    if isinstance(line, cst.Attribute):
        yield line
    target = _find_target(line)
    inside = source.file.enclosing(call, cst.FunctionDef)
    if inside is not None and f"isinstance({target}," in source.code(inside):
        return
    block = source.parent(line) if line is not None else None
    while target and block is not None and not isinstance(block, cst.FunctionDef):
        if isinstance(block, (cst.IndentedBlock, cst.SimpleStatementLine)):
            yield from _list_later(call, target, block)
        block = source.parent(block)


def _find_target(line: cst.CSTNode | None) -> str:
    targets = [line.target] if isinstance(line, cst.AnnAssign) else []
    if isinstance(line, cst.Assign):
        targets = [each.target for each in line.targets]
    return targets[0].value if len(targets) == 1 and isinstance(targets[0], cst.Name) else ""


def _list_later(call: cst.Call, name: str, block: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """In a block around the call, up to where the name is assigned anew."""
    begun = False
    for each in offspring(block):
        inside = [*walk(each)]
        if begun and any(_binds(node, name) for node in inside):
            return
        if begun:
            yield from (node for node in inside if _reads(node, name))
        begun = begun or any(node is call for node in inside)


def _binds(node: cst.CSTNode, name: str) -> bool:
    target = node.target if isinstance(node, (cst.AssignTarget, cst.AnnAssign)) else None
    return isinstance(target, cst.Name) and target.value == name


def _reads(node: cst.CSTNode, name: str) -> bool:
    if not isinstance(node, cst.Attribute) or node.attr.value in _OF_BOTH:
        return False
    return isinstance(node.value, cst.Name) and node.value.value == name
