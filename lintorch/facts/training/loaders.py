"""Data loaders of a file: what they were given, what holds them and which loops read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from lintorch.facts.classes.classes import HasClasses, is_self
from lintorch.facts.training.loops import HasLoops
from lintorch.syntax.literals import Arguments, arguments
from lintorch.syntax.parsed_file import HasFile
from lintorch.syntax.tree import parameters

LOADER = "torch.utils.data.DataLoader"
_PARAMETERS = (
    "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn",
    "pin_memory", "drop_last", "timeout", "worker_init_fn", "multiprocessing_context",
    "generator",
)  # fmt: skip
_THROUGH = frozenset(
    {"enumerate", "iter", "tqdm", "trange", "track", "list", "reversed", "progress_bar"}
)
"""Functions that hand on what they are given first."""


@dataclass(frozen=True, eq=False)
class LoaderLoop:
    """A loop over a loader. `epochs` is the loop around it, or around the call of its function."""

    loop: cst.For
    epochs: cst.For | cst.While | None


def loader_arguments(call: cst.Call) -> Arguments:
    """The arguments of a call of DataLoader by parameter."""
    return arguments(call, *_PARAMETERS)


def assigned_variable(value: cst.CSTNode, source: HasFile) -> cst.Name | cst.Attribute | None:
    """The name or `self.x` that an expression, or one side of `a if c else b`, is assigned to."""
    outer = source.file.parent(value)
    while isinstance(outer, cst.IfExp) and value is not outer.test:
        value, outer = outer, source.file.parent(outer)
    target: cst.CSTNode | None = None
    if isinstance(outer, cst.AnnAssign):
        target = outer.target
    elif isinstance(outer, cst.Assign) and len(outer.targets) == 1:
        target = outer.targets[0].target
    if isinstance(target, cst.Attribute):
        return target if is_self(target.value) else None
    return target if isinstance(target, cst.Name) else None


def is_same_variable(one: cst.CSTNode, other: cst.CSTNode, source: HasClasses) -> bool:
    """Whether two names are bound in one scope, or two `self.x` are of one class."""
    if isinstance(one, cst.Name) and isinstance(other, cst.Name):
        if one.value != other.value:
            return False
        bound, again = source.names.bound(one), source.names.bound(other)
        return bool(bound) and bool(again) and bound[0] is again[0]
    if isinstance(one, cst.Attribute) and isinstance(other, cst.Attribute):
        alike = one.attr.value == other.attr.value and is_self(one.value) and is_self(other.value)
        return alike and source.classes.around(one) is source.classes.around(other)
    return False


def loops_over_loader(loader: cst.Call, source: HasLoops) -> Iterator[LoaderLoop]:
    """The loops over a loader, in the same function or in one of the file that is given it."""
    held = assigned_variable(loader, source)
    for loop in source.file.nodes(cst.For):
        over = _read(loop.iter)
        if over is loader or (held is not None and is_same_variable(over, held, source)):
            yield LoaderLoop(loop, _around(loop, source))
    if held is None:
        return
    for call in source.file.nodes(cst.Call):
        given = [
            index
            for index, arg in enumerate(call.args)
            if is_same_variable(arg.value, held, source)
        ]
        helper = source.classes.function(call.func) if given else None
        if helper is not None:
            name = _parameter(helper, call, given[0])
            for loop in _loops_over(name, helper, source):
                yield LoaderLoop(loop, _around(loop, source) or _around(call, source))


def _read(over: cst.BaseExpression) -> cst.BaseExpression:
    """The loader in `enumerate(loader)` or `tqdm(loader)`."""
    while isinstance(over, cst.Call) and over.args and not over.args[0].star:
        func = over.func
        short = func.attr.value if isinstance(func, cst.Attribute) else ""
        short = func.value if isinstance(func, cst.Name) else short
        if short not in _THROUGH:
            break
        over = over.args[0].value
    return over


def _around(node: cst.CSTNode, source: HasLoops) -> cst.For | cst.While | None:
    loop = next(source.loops.around(node), None)
    return loop.node if loop is not None else None


def _parameter(helper: cst.FunctionDef, call: cst.Call, index: int) -> str:
    """The parameter that an argument of a call of a function or own method of the file goes to."""
    if any(arg.star for arg in call.args[:index]):
        return ""
    if (keyword := call.args[index].keyword) is not None:
        return keyword.value
    names = [param.name.value for param in parameters(helper)]
    names = names[1:] if names[:1] == ["self"] else names
    return names[index] if index < len(names) else ""


def _loops_over(name: str, helper: cst.FunctionDef, source: HasLoops) -> Iterator[cst.For]:
    for loop in source.file.nodes(cst.For):
        over = _read(loop.iter)
        named = isinstance(over, cst.Name) and over.value == name
        if named and source.file.enclosing(loop, cst.FunctionDef) is helper:
            yield loop
