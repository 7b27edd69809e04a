"""LT508: a tensor that grows by cat, and is copied whole at each turn of a loop."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source, literal
from lintorch.syntax.tree import offspring

rule = Rule(
    __name__,
    code="LT508",
    summary="a tensor that grows by cat in a loop",
    why="""
        A tensor cannot grow: `x = torch.cat([x, new])` copies all of x in each iteration, so that
        n turns copy n²/2 pieces, and for the copy both are in memory. Collect the pieces in a
        list and join them once after the loop. Measured on torch 2.13.

        A loop that looks at the tensor in each iteration, as one that generates tokens does, needs
        it whole and is not reported; nor is a forward, where blocks are joined for the next.
    """,
    bad="""
        import torch


        def predictions(model, loader):
            found = torch.empty(0, 10)
            for x in loader:
                found = torch.cat([found, model(x)])
            return found
    """,
    good="""
        import torch


        def predictions(model, loader):
            found = []
            for x in loader:
                found.append(model(x))
            return torch.cat(found)
    """,
    remedy="collect them in a list, and cat once after the loop",
    proof="""
        from torch.utils._python_dispatch import TorchDispatchMode

        made = []


        class Counted(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                result = func(*args, **(kwargs or {}))
                if "cat" in str(func):
                    made.append(result.numel())
                return result


        with Counted():
            found = predictions(torch.nn.Identity(), torch.zeros(100, 4, 10))
        assert sum(made) <= 2 * found.numel(), f"{sum(made)} copied for {found.numel()}"
    """,
    severity=Severity.NOTE,
)

JOINS = ("torch.cat", "torch.concat", "torch.vstack", "torch.hstack")
FEW = 8
"""Turns up to which the copies do not matter."""


@rule.source(cst.Assign, needs=("cat(", "concat(", "stack("))
def in_source(node: cst.Assign, source: Source) -> Iterator[Hit]:
    target, call = node.targets[0].target, node.value
    if isinstance(call, cst.IfExp):  # x if found is None else torch.cat([found, x])
        call = call.orelse if isinstance(call.orelse, cst.Call) else call.body
    if not isinstance(call, cst.Call) or source.name(call.func) not in JOINS:
        return
    loop = source.enclosing(node, cst.For, cst.While, cst.FunctionDef, cst.Lambda)
    if not isinstance(loop, (cst.For, cst.While)) or not isinstance(target, cst.Name):
        return
    if any(outer is loop.orelse for outer in source.ancestors(node)) or runs_forward(node, source):
        return
    if is_scripted(node, source):
        return
    first = call.args[0].value if call.args else None
    grows = first is not None and is_joined_with(first, target.value)
    if grows and not is_short(loop, source) and is_begun_outside(loop, target, source):
        text = source.code(target)
        yield Hit(node, f"copies all of {text} in each iteration")


def runs_forward(node: cst.CSTNode, source: Source) -> bool:
    """Whether it is a part of a forward pass, or may be: in a model what nothing else was seen to call."""
    row = source.place(node).row
    if row in source.evaluation.forward_rows:
        return True
    info = source.classes.around(node)
    return info is not None and info.is_module and row not in source.evaluation.reached_rows


def is_scripted(node: cst.CSTNode, source: Source) -> bool:
    """Whether a function is scripted, where an exported loop carries tensors but no lists."""
    function = source.enclosing(node, cst.FunctionDef)
    marks = function.decorators if function is not None else ()
    return any(source.name(mark.decorator).startswith("torch.jit.") for mark in marks)


def is_joined_with(pieces: cst.BaseExpression, name: str) -> bool:
    """`[x, new]` or `(new, x)`."""
    listed = pieces.elements if isinstance(pieces, (cst.List, cst.Tuple)) else ()
    return len(listed) > 1 and any(
        isinstance(e.value, cst.Name) and e.value.value == name for e in listed
    )


def is_begun_outside(loop: cst.For | cst.While, target: cst.Name, source: Source) -> bool:
    """Whether a name outlives the turns of a loop and is only added to in it."""
    stored, read, first = 0, 0, False
    for found in names_in(loop.body, target.value):
        outer = source.parent(found)
        if isinstance(outer, (cst.AssignTarget, cst.NamedExpr)) and found is outer.target:
            stored += 1
        elif is_asked_for_none(outer):
            first = True
        else:
            read += 1
    once = stored == 1 or (stored == 2 and first)
    return once and read == 1 and len(source.bound(target)) > stored


def is_asked_for_none(outer: cst.CSTNode | None) -> bool:
    """`x is None`, as in a loop that begins with nothing."""
    return isinstance(outer, cst.Comparison) and literal(outer.comparisons[0].comparator) is None


def is_short(loop: cst.For | cst.While, source: Source) -> bool:
    """Whether the number of turns is written down and small."""
    turns = loop.iter if isinstance(loop, cst.For) else None
    if isinstance(turns, (cst.List, cst.Tuple)):
        return True
    if not isinstance(turns, cst.Call) or source.name(turns.func) != "range":
        return False
    last = [literal(arg.value) for arg in turns.args]
    return bool(last) and all(type(n) is int and n <= FEW for n in last)


def names_in(node: cst.CSTNode, name: str) -> Iterator[cst.Name]:
    if isinstance(node, cst.Name) and node.value == name:
        yield node
    for part in offspring(node):
        yield from names_in(part, name)
