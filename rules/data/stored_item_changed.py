"""LT519: a dataset that changes what it holds as it is read."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT519",
    summary="a dataset that changes what it holds as it is read",
    why="""
        `x = self.images[index]` is the stored tensor or array itself, or a view of it. What
        `x += noise` or `x.clamp_(0, 1)` do to it stays: noise adds up from epoch to epoch, and a
        sample is normalised again each time that it is read. Workers of a loader do it to copies
        of their own, which lasts as long as they do. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch.utils.data import Dataset


        class Points(Dataset):
            def __init__(self, points):
                self.points = points

            def __len__(self):
                return len(self.points)

            def __getitem__(self, index):
                point = self.points[index]
                point += 0.01 * torch.randn_like(point)
                return point
    """,
    good="""
        import torch
        from torch.utils.data import Dataset


        class Points(Dataset):
            def __init__(self, points):
                self.points = points

            def __len__(self):
                return len(self.points)

            def __getitem__(self, index):
                point = self.points[index].clone()
                point += 0.01 * torch.randn_like(point)
                return point
    """,
    proof="""
        points = Points(torch.zeros(2, 3))
        points[0]
        assert not points.points.any()
    """,
    severity=Severity.WARNING,
    remedy="change a copy: write .clone() or .copy() behind the index",
)

BASES = ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset")


@rule.source(cst.FunctionDef, needs=("__getitem__",))
def in_items(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """`x = self.images[index]; x += noise` of a Dataset."""
    owner = source.enclosing(function, cst.ClassDef)
    parameters = [each.name.value for each in function.params.params]
    if function.name.value != "__getitem__" or len(parameters) != 2:
        return
    if not isinstance(owner, cst.ClassDef) or not is_dataset(owner, source):
        return
    for name in list_stored(function, parameters[1], source):
        if is_given_once(function, name, source):
            change = next(list_changes(function, name, source), None)
            if change is not None:
                yield Hit(change, f"changes {name} in place, which the dataset keeps: it adds up")


def is_dataset(owner: cst.ClassDef, source: Source) -> bool:
    """Whether a class of the file derives from Dataset."""
    info = source.classes.all.get(owner)
    bases = () if info is None else info.bases
    return any(each in BASES or source.classes.is_subclass(each, BASES) for each in bases)


def list_stored(function: cst.FunctionDef, index: str, source: Source) -> Iterator[str]:
    """The names that are given `self.x[index]` at the top of the method."""
    for each in source.nodes(cst.Assign):
        target = each.targets[0].target
        around = [*source.ancestors(each)]
        top = len(around) > 2 and around[2] is function
        if top and isinstance(target, cst.Name) and is_stored(each.value, index):
            yield target.value


def is_stored(value: cst.BaseExpression, index: str) -> bool:
    """Whether it is `self.x[index]`."""
    if not isinstance(value, cst.Subscript) or len(value.slice) != 1:
        return False
    holder, at = value.value, value.slice[0].slice
    own = isinstance(holder, cst.Attribute) and is_name(holder.value, "self")
    return own and isinstance(at, cst.Index) and is_name(at.value, index)


def is_given_once(function: cst.FunctionDef, name: str, source: Source) -> bool:
    """Whether a name is given a value in one place of the method."""
    mine = [
        each
        for each in source.mentions_of(name)
        if source.enclosing(each, cst.FunctionDef) is function
    ]
    stored = [each for each in mine if source.enclosing(each, cst.AssignTarget) is not None]
    other = (cst.NamedExpr, cst.AsName, cst.For, cst.CompFor)
    bound = [
        each
        for each in mine
        for outer in (source.parent(each),)
        if isinstance(outer, other) and getattr(outer, "target", outer) in (each, outer)
    ]
    return len(stored) == 1 and not bound


def list_changes(function: cst.FunctionDef, name: str, source: Source) -> Iterator[cst.CSTNode]:
    """What changes a tensor or array of this name in place."""
    for sum_ in source.nodes(cst.AugAssign):
        mine = source.enclosing(sum_, cst.FunctionDef) is function
        if mine and is_name(sum_.target, name) and "(" in source.code(sum_.value):
            yield sum_
    for call in source.nodes(cst.Call):
        func = call.func
        if isinstance(func, cst.Attribute) and is_name(func.value, name):
            word = func.attr.value
            if word.endswith("_") and not word.endswith("__"):
                mine = source.enclosing(call, cst.FunctionDef) is function
                yield from (call,) if mine else ()


def is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
