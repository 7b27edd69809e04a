"""Activation checkpoints in the non-reentrant form, which tracers follow."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix

CHECKPOINTS = ("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential")
_SETTING = "use_reentrant"


class WritesCalls(Protocol):
    """What knows the names of a file, and puts edits into its calls."""

    def name(self, expression: cst.CSTNode | None) -> str:
        """The full name of what it stands for."""

    def nodes(self, kind: type[cst.Call]) -> list[cst.Call]:
        """All nodes of this class."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Other text in the place of a node."""

    def insert_argument(self, call: cst.Call, content: str) -> Edit:
        """Add an argument at the end of a call."""


def write_lenient(call: cst.Call, source: WritesCalls) -> Fix | None:
    """`use_reentrant=False` in a call of checkpoint, or in the one `partial` of the file that it goes through.

    None where it is not clear which that is, or where the setting is worked out.
    """
    if source.name(call.func) not in CHECKPOINTS:
        partial = [each for each in source.nodes(cst.Call) if _is_partial(each, source)]
        if len(partial) != 1:
            return None
        call = partial[0]
    if any(arg.star == "**" for arg in call.args):
        return None
    given = (arg.value for arg in call.args if arg.keyword and arg.keyword.value == _SETTING)
    setting = next(given, None)
    if setting is None:
        edit = source.insert_argument(call, f"{_SETTING}=False")
    elif isinstance(setting, cst.Name) and setting.value == "True":
        edit = source.replace(setting, "False")
    else:
        return None
    return Fix("take the non-reentrant form", (edit,), Applicability.UNSAFE)


def _is_partial(call: cst.Call, source: WritesCalls) -> bool:
    """`partial(checkpoint, run)`."""
    if source.name(call.func) != "functools.partial" or not call.args:
        return False
    return source.name(call.args[0].value) in CHECKPOINTS
