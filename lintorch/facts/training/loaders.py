"""Data loaders of a file: what they were given, and what holds them."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.classes.classes import is_self
from lintorch.syntax.literals import Arguments, arguments
from lintorch.syntax.parsed_file import HasFile

LOADER = "torch.utils.data.DataLoader"
_PARAMETERS = (
    "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn",
    "pin_memory", "drop_last", "timeout", "worker_init_fn", "multiprocessing_context",
    "generator",
)  # fmt: skip


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
