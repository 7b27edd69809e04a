"""LT446: a checkpoint that is read otherwise than it was saved."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT446",
    summary="a checkpoint that is read otherwise than it was saved",
    why="""
        A checkpoint that holds weights, the optimizer's state and an epoch is a dictionary of these.
        load_state_dict() of the whole raises "Unexpected key(s)", and a key that nothing saves is a KeyError.
        Reported where one function reads the same checkpoint by keys, too, and asks for none first.
        Measured on torch 2.13.
    """,
    bad="""
        import torch


        def resume(model, optimizer, path):
            state = torch.load(path, map_location="cpu")
            model.load_state_dict(state)
            optimizer.load_state_dict(state["optimizer"])
            return state["epoch"]
    """,
    good="""
        import torch


        def resume(model, optimizer, path):
            state = torch.load(path, map_location="cpu")
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
            return state["epoch"]
    """,
    proof="""
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.Adam(model.parameters())
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 1}
        torch.save(state, "checkpoint.pt")
        resume(model, optimizer, "checkpoint.pt")
    """,
    severity=Severity.ERROR,
)

UNSURE = (
    cst.If,
    cst.Try,
    cst.IfExp,
    cst.For,
    cst.While,
    cst.With,
    cst.Lambda,
    cst.BooleanOperation,
)
ENOUGH = 2
"""So many keys must be those of a checkpoint that the file saves."""


@rule.source(cst.Assign, needs=("load_state_dict",))
def in_loads(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`state = torch.load(path)`, and what is read from it."""
    target, call = node.targets[0].target, node.value
    function = source.enclosing(node, cst.FunctionDef)
    loads = isinstance(call, cst.Call) and source.name(call.func) == "torch.load"
    if not loads or function is None or not isinstance(target, cst.Name):
        return
    uses = [
        each
        for each in source.mentions_of(target.value)
        if source.enclosing(each, cst.FunctionDef) is function
        and each is not target
        and not is_keyword(each, source)
    ]
    reads = {key: use for use in uses if (key := read_key(use, source))}
    whole = [use for use in uses if is_given_whole(use, source)]
    if len(reads) + len(whole) < len(uses) and not all(is_plain(u, source) for u in uses):
        return
    for use in whole if reads else ():
        held = ", ".join(sorted(reads))
        yield Hit(
            use,
            f"is the whole checkpoint, which holds {held} too: it raises",
            remedy=f'give it the weights, such as {target.value}["model"]',
        )
    yield from find_missing(reads, source)


def read_key(use: cst.Name, source: Source) -> str:
    """`epoch` of `state["epoch"]`, where nothing decides whether that is read."""
    outer = source.parent(use)
    if not isinstance(outer, cst.Subscript) or outer.value is not use or len(outer.slice) != 1:
        return ""
    at = outer.slice[0].slice
    key = literal(at.value) if isinstance(at, cst.Index) else None
    if isinstance(source.parent(outer), cst.AssignTarget) or not isinstance(key, str):
        return ""  # what is put in there was not read
    return "" if "." in key or is_unsure(outer, source) else key


def is_given_whole(use: cst.Name, source: Source) -> bool:
    """`model.load_state_dict(state)`."""
    arg = source.parent(use)
    call = source.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or len(call.args) != 1 or is_unsure(call, source):
        return False
    func = call.func
    return isinstance(func, cst.Attribute) and func.attr.value == "load_state_dict"


def is_keyword(name: cst.Name, source: Source) -> bool:
    """The `state_dict` before the sign of `load_state_dict(state_dict=x)`, which reads no variable."""
    outer = source.parent(name)
    return isinstance(outer, cst.Arg) and outer.keyword is name


def is_plain(use: cst.Name, source: Source) -> bool:
    """Whether it is read by a key, given whole, or printed."""
    outer = source.parent(use)
    return isinstance(outer, cst.Subscript) or is_given_whole(use, source)


def is_unsure(node: cst.CSTNode, source: Source) -> bool:
    """Whether something decides in the function if this happens."""
    for outer in source.ancestors(node):
        if isinstance(outer, cst.FunctionDef):
            return False
        if isinstance(outer, UNSURE):
            return True
    return False


def find_missing(reads: dict[str, cst.Name], source: Source) -> Iterator[Hit]:
    """The keys that no checkpoint has which this file saves."""
    saved = list_saved(source)
    if saved is None or len(saved & {*reads}) < ENOUGH:
        return
    for key in {*reads} - saved:
        if f'"{key}"]' in source.text and source.text.count(f'"{key}"') > 1:
            continue
        held = ", ".join(sorted(saved))
        message = (
            f"no checkpoint that this file saves has the key {key}: KeyError; they have {held}"
        )
        yield Hit(source.parent(reads[key]) or reads[key], message, remedy="read what was saved")


def list_saved(source: Source) -> frozenset[str] | None:
    """The keys of all that the file saves; None where some of it is not known."""
    found: set[str] = set()
    for call in source.nodes(cst.Call):
        if source.name(call.func) != "torch.save" or not call.args:
            continue
        keys = list_keys(call.args[0].value, call, source)
        if keys is None:
            return None
        found |= keys
    return frozenset(found)


def list_keys(given: cst.BaseExpression, call: cst.Call, source: Source) -> set[str] | None:
    """The keys of a dictionary that is written there, or that a name was given just before."""
    if isinstance(given, cst.Name):
        function = source.enclosing(call, cst.FunctionDef)
        values = [
            each.value
            for each in source.nodes(cst.Assign)
            if source.enclosing(each, cst.FunctionDef) is function
            and isinstance(each.targets[0].target, cst.Name)
            and each.targets[0].target.value == given.value
        ]
        given = values[0] if len(values) == 1 else given
    if not isinstance(given, cst.Dict):
        return None
    keys = [literal(e.key) if isinstance(e, cst.DictElement) else None for e in given.elements]
    return {key for key in keys if isinstance(key, str)} if all(keys) else None
