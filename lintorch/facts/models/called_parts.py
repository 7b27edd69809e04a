"""Whether a model's forward calls what a statement of its class makes."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from lintorch.facts.names.lookup import HasNames


class HasForwards(HasNames, Protocol):
    """What knows the calls of a file, and which code runs where a model is exported."""

    def in_traced_forward(self, node: cst.CSTNode) -> bool:
        """Whether a node stands in what an exported forward runs."""


def find_target(call: cst.Call, source: HasForwards) -> cst.BaseExpression | None:
    """What a statement gives to the call's result: `self.mix = torch.compile(mix)`."""
    line = source.file.parent(call)
    return line.targets[0].target if isinstance(line, cst.Assign) else None


def is_called_part(
    part: cst.BaseExpression | None, place: cst.CSTNode, source: HasForwards
) -> bool:
    """Whether forward of the class around `place` calls `self.part`."""
    owner = source.file.enclosing(place, cst.ClassDef)
    if owner is None or not isinstance(part, cst.Attribute):
        return False
    written = source.file.code(part)
    return written.startswith("self.") and any(
        source.file.code(each.func) == written and source.in_traced_forward(each)
        for each in source.file.nodes(cst.Call)
        if source.file.enclosing(each, cst.ClassDef) is owner
    )
