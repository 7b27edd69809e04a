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
from typing import TYPE_CHECKING

import libcst as cst

from lintorch.facts.training.acts import Act, Acts, Event
from lintorch.facts.training.conditions import forget
from lintorch.facts.training.follow_paths import OPAQUE, Follow, Path, TooManyPaths, clears
from lintorch.syntax.tree import offspring

if TYPE_CHECKING:
    from lintorch.source import Source

__all__ = ["Act", "Event", "Path", "Region", "TrainingPaths"]
_DEPTH = 4
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

    def __init__(self, source: Source) -> None:
        self._source = source
        self._acts = Acts(source)

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The loops and functions of the file with acts of training in them, outer ones first."""
        text = self._source.text
        if "backward" not in text or ".step(" not in text or _FRAMEWORKS.search(text):
            return ()
        nodes: list[cst.For | cst.While | cst.FunctionDef] = [
            *self._source.nodes(cst.FunctionDef),
            *self._source.nodes(cst.For),
            *self._source.nodes(cst.While),
        ]
        found = (self._region(node) for node in nodes if self.acts_in(node.body))
        return tuple(region for region in found if region is not None)

    def _region(self, node: cst.For | cst.While | cst.FunctionDef) -> Region | None:
        walk = Follow(self._source, self._acts, self)
        try:
            states = walk.block(node.body, [Path((), frozenset())])
        except TooManyPaths:
            return None
        if isinstance(node, cst.For):
            walk.bound_by(node.target)
        paths = {
            replace(s, lasting=forget(s.facts, walk.rebound)) for s in states if s.end != "raise"
        }
        if not any(path.events for path in paths):
            return None
        ordered = sorted(paths, key=lambda p: (len(p.events), sorted(p.facts)))
        return Region(node, tuple(ordered), walk.looped, frozenset(walk.rebound))

    @cached_property
    def _acting(self) -> dict[cst.CSTNode, bool]:
        return {}

    def acts_in(self, node: cst.CSTNode, depth: int = 0) -> bool:
        """Whether an act may happen below a node, helpers of the file included."""
        if node not in self._acting:
            self._acting[node] = False
            self._acting[node] = self._looks_acting(node, depth)
        return self._acting[node]

    def _looks_acting(self, node: cst.CSTNode, depth: int) -> bool:
        if isinstance(node, OPAQUE):
            return False
        if isinstance(node, cst.Call):
            func = node.func
            last = func.attr if isinstance(func, cst.Attribute) else func
            if isinstance(last, cst.Name) and last.value in _WORDS:
                return True
            helper = self._source.function(func)
            if helper is not None and depth <= _DEPTH and self.acts_in(helper.body, depth + 1):
                return True
        if isinstance(node, cst.Assign) and clears(node):
            return True
        return any(self.acts_in(child, depth) for child in offspring(node))


_WORDS = frozenset(
    {
        "backward", "step", "zero_grad", "scale", "unscale_", "update", "clip_grad_norm_",
        "clip_grad_value_", "clip_grad_norm", "clip_grad_value", "train", "eval", "zero_",
    }
)  # fmt: skip
