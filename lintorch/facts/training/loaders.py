"""Data loaders of a file: what they were given, and what holds them."""

from __future__ import annotations

import re

import libcst as cst

from lintorch.core.finding import Fix
from lintorch.evaluator.values import External, Held, Unknown, Value
from lintorch.facts.classes.classes import is_self
from lintorch.facts.training.part_values import role_of_object
from lintorch.facts.training.roles import Role
from lintorch.syntax.literals import Arguments, arguments
from lintorch.syntax.parsed_file import HasFile

LOADER = "torch.utils.data.DataLoader"
LOADER_NAME = re.compile(r"(^|[<._])(\w*loader|dl)>?$", re.I)
"""What loaders are called that nobody is seen to make."""
_PARAMETERS = (
    "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn",
    "pin_memory", "drop_last", "timeout", "worker_init_fn", "multiprocessing_context",
    "generator",
)  # fmt: skip


def loader_arguments(call: cst.Call) -> Arguments:
    """The arguments of a call of DataLoader by parameter."""
    return arguments(call, *_PARAMETERS)


def find_argument(call: cst.Call | None, name: str) -> cst.Arg | None:
    """Where a call of DataLoader itself gives an argument."""
    return loader_arguments(call).by_name.get(name) if call is not None else None


def leave_out(call: cst.Call | None, name: str, source: HasFile) -> Fix | None:
    """The call without one of its keyword arguments; None where it, or a comment, is in the way."""
    arg = find_argument(call, name)
    if call is None or arg is None or arg.keyword is None or len(call.args) < 2:
        return None
    edit = source.file.remove_argument(call, arg)
    if "#" in source.file.text[edit.start : edit.end]:
        return None
    return Fix(f"drop {name}", (edit,))


def is_loader(value: Value) -> bool:
    """A DataLoader, or something unknown that is called so."""
    named = isinstance(value, Unknown) and LOADER_NAME.search(value.path)
    return role_of_object(value) is Role.LOADER or bool(named)


def is_sampler(value: Value | None) -> bool:
    """Whether it surely is a sampler: one of torch, or of a class of the project."""
    if not isinstance(value, Held) or value.of is None:
        return False
    name = value.of.path if isinstance(value.of, External) else value.of.name
    return name.endswith("Sampler")


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
