"""The orders in which the acts of a training step can happen, one path for each way through it.

A loop body or a function is followed statement by statement: arguments before their call, helpers
of the file in their place, branches both ways, inner loops once. The same test is taken the same
way along a path until a name in it is bound anew. What no exception interrupts is followed;
handlers are not. A region with more than 64 paths is unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

import libcst as cst

from lintorch.facts.classes.classes import Classes
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.training.acting_code import ActingCode
from lintorch.facts.training.acts import Act, Acts, Event
from lintorch.facts.training.follow_paths import Path, PathFollower, TooManyPaths
from lintorch.facts.training.roles import Roles
from lintorch.syntax.parsed_file import ParsedFile

__all__ = ["Act", "Event", "Path", "Region", "TrainingPaths"]
_FRAMEWORKS = re.compile(
    r"^\s*(?:from|import)\s+(accelerate|lightning|pytorch_lightning|deepspeed|apex|ignite|fairscale|"
    r"colossalai|torch_xla|horovod|opacus|composer|mmcv|mmengine|fastai|flash|catalyst|skorch)\b",
    re.M,
)
"""Frameworks that step, scale or clear on their own."""


@dataclass(frozen=True, eq=False)
class Region:
    """A loop or function body with the acts of training in it.

    `paths` leaves out those that end in an exception. `holds_loop`: whether an inner loop, which
    was followed once, holds acts too.
    """

    node: cst.For | cst.While | cst.FunctionDef
    paths: tuple[Path, ...]
    holds_loop: bool
    rebound: frozenset[str]

    @property
    def is_loop(self) -> bool:
        """Whether the region repeats."""
        return not isinstance(self.node, cst.FunctionDef)

    @cached_property
    def events(self) -> frozenset[Event]:
        """All events of all paths."""
        return frozenset(event for path in self.paths for event in path.events)

    def has(self, *acts: Act) -> bool:
        """Whether any of these acts happens on any path."""
        return any(event.act in acts for event in self.events)

    def rebinds(self, text: str) -> bool:
        """Whether an expression names something that is another thing at each turn."""
        words = set(re.findall(r"(?<![\w.])\w+", text))
        return text in self.rebound or bool(words & self.rebound)

    def always(self, node: cst.CSTNode) -> bool:
        """Whether a call happens on every path."""
        return all(any(e.node is node for e in path.events) for path in self.paths)


class TrainingPaths:
    """The regions of one file."""

    def __init__(self, file: ParsedFile, names: Lookup, classes: Classes, roles: Roles) -> None:
        self._file, self._names, self._classes = file, names, classes
        self._acts = Acts(file, names, classes, roles)
        self._acting = ActingCode(classes)

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The loops and functions of the file with acts of training in them, outer ones first."""
        text = self._file.text
        if "backward" not in text or ".step(" not in text or _FRAMEWORKS.search(text):
            return ()
        nodes: list[cst.For | cst.While | cst.FunctionDef] = [
            *self._file.nodes(cst.FunctionDef),
            *self._file.nodes(cst.For),
            *self._file.nodes(cst.While),
        ]
        found = (self._region(node) for node in nodes if self._acting.holds_acts(node.body))
        return tuple(region for region in found if region is not None)

    def _region(self, node: cst.For | cst.While | cst.FunctionDef) -> Region | None:
        walk = PathFollower(self._file, self._names, self._classes, self._acts, self._acting)
        try:
            states = walk.block(node.body, [Path()])
        except TooManyPaths:
            return None
        if isinstance(node, cst.For):
            walk.bound_by(node.target)
        paths = {
            replace(s, lasting=s.without(walk.rebound).conditions)
            for s in states
            if s.end != "raise"
        }
        if not any(path.events for path in paths):
            return None
        ordered = sorted(
            paths, key=lambda p: (len(p.events), sorted(p.conditions), sorted(p.scaled))
        )
        return Region(node, tuple(ordered), walk.looped, frozenset(walk.rebound))
