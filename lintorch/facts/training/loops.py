"""Loops that train and loops that evaluate, told by what runs in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import libcst as cst

from lintorch.facts.classes.classes import Classes, HasClasses
from lintorch.syntax.parsed_file import ParsedFile
from lintorch.syntax.tree import offspring

_BACKWARD = ("backward", "manual_backward")
_DEPTH = 4


@dataclass(frozen=True, eq=False)
class Loop:
    """A for or while statement. `trains`: whether a backward pass runs in it, helpers included."""

    node: cst.For | cst.While
    trains: bool
    calls: tuple[cst.Call, ...]
    """The calls in its body, in order of the text, those of helpers of the file in their place."""


class HasLoops(HasClasses, Protocol):
    """What knows a file with its classes, and its loops."""

    @property
    def loops(self) -> Loops:
        """Which loops train."""


class Loops:
    """The loops of one file."""

    def __init__(self, file: ParsedFile, classes: Classes) -> None:
        self._file = file
        self._classes = classes
        self._known: dict[cst.CSTNode, Loop] = {}

    def around(self, node: cst.CSTNode) -> Iterator[Loop]:
        """The loops of the same function whose body a node stands in, innermost first."""
        inner = node
        for outer in self._file.ancestors(node):
            if isinstance(outer, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
                return
            if isinstance(outer, (cst.For, cst.While)) and inner is outer.body:
                yield self.of(outer)
            inner = outer

    def of(self, node: cst.For | cst.While) -> Loop:
        """What is known of a loop."""
        if node not in self._known:
            calls = tuple(self.calls(node.body))
            self._known[node] = Loop(node, any(map(is_backward, calls)), calls)
        return self._known[node]

    def calls(self, node: cst.CSTNode) -> Iterator[cst.Call]:
        """The calls below a node, arguments before the call, with those of helpers after it."""
        return self._calls(node, 0, {})

    def _calls(
        self, node: cst.CSTNode, depth: int, met: dict[cst.FunctionDef, int]
    ) -> Iterator[cst.Call]:
        """`met` are the helpers that were entered already, and at which depth."""
        for child in offspring(node):
            if not isinstance(child, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
                yield from self._calls(child, depth, met)
        if isinstance(node, cst.Call):
            yield node
            helper = self._classes.function(node.func)
            if helper is not None and depth < min(_DEPTH, met.get(helper, _DEPTH)):
                met[helper] = depth
                yield from self._calls(helper.body, depth + 1, met)


def is_backward(call: cst.Call) -> bool:
    """Whether a call is `x.backward()`, or a framework's way to say it."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value in _BACKWARD
