"""The loops in which something happens: around its line, and around the calls that led there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lintorch.evaluator.events import Occurrence
from lintorch.evaluator.values import Spot

Loop = ast.For | ast.AsyncFor | ast.While
LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True)
class FileLoops:
    """The loops of a file, those that stand in others last."""

    tree: ast.AST

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """In the order of their first lines."""
        found = [each for each in ast.walk(self.tree) if isinstance(each, Loop)]
        return tuple(sorted(found, key=lambda each: each.lineno))

    def list_around(self, spot: Spot) -> Iterator[Loop]:
        """The loops whose turns a place belongs to, innermost first."""
        for loop in reversed(self.loops):
            if is_within(loop, spot):
                yield loop


def is_within(loop: Loop, spot: Spot) -> bool:
    """Whether a place of the same file belongs to the turns of a loop."""
    first, last = loop.body[0], loop.body[-1]
    begin = loop if isinstance(loop, ast.While) else first
    end = last.end_lineno or last.lineno
    return (begin.lineno, begin.col_offset) <= (spot.row, spot.column) and spot.end_row <= end


def list_places(event: Occurrence) -> tuple[Spot, ...]:
    """Where something happens, and where the calls stand that led there, innermost first."""
    return (event.spot, *reversed(event.way.spots))


def uses_layers(loop: ast.AST | None) -> bool:
    """`self.layers[i]`, or `layer(x)` of what the loop gives: as many rounds as there are layers."""
    if loop is None:
        return False
    stored = {
        each.id
        for each in ast.walk(loop)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return _calls_zipped(loop) or any(
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id == "self"
        and any(isinstance(each, ast.Name) and each.id in stored for each in ast.walk(node.slice))
        for node in ast.walk(loop)
    )


def _calls_zipped(loop: ast.AST) -> bool:
    """`[layer(part) for part, layer in zip(x.unbind(1), self.layers)]`: no more rounds than layers."""
    called = {
        node.func.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    heads = [*getattr(loop, "generators", ()), loop] if not isinstance(loop, ast.While) else []
    return any(
        isinstance(inner, ast.Call) and getattr(inner.func, "id", "") == "zip"
        for head in heads
        if {n.id for n in ast.walk(getattr(head, "target", loop)) if isinstance(n, ast.Name)}
        & called
        for inner in ast.walk(getattr(head, "iter", ast.Pass()))
    )
