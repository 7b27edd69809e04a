"""What a model computes, call by call, with the sizes of two runs beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lintorch.core.finding import Finding
from lintorch.record.events import Shapes
from lintorch.record.outcomes import Outcome
from lintorch.record.sites import Site

Line = tuple[str, int]
"""A path and a row of it."""


@dataclass(frozen=True)
class GraphNode:
    """One call of an operator. `number` is its place among the calls of the run.

    `takes` are the numbers of the calls whose results it takes; -1 and below are what the model
    is fed. `outputs` has the shapes that it gives in each run of the graph; None where that run
    does not come by.
    """

    number: int
    operator: str
    site: Site
    layer: str = ""
    takes: tuple[int, ...] = ()
    outputs: tuple[Shapes | None, ...] = ()


@dataclass(frozen=True)
class ModelGraph:
    """The calls of a model's first run, or those around what goes wrong in it; the sizes of each run."""

    runs: tuple[Mapping[str, int], ...]
    nodes: tuple[GraphNode, ...]
    calls: int
    """How many calls there are in all."""


def find_blamed_nodes(
    nodes: tuple[GraphNode, ...], outcome: Outcome, findings: tuple[Finding, ...]
) -> Iterator[GraphNode]:
    """Those where an export goes wrong: in its smallest part, else on the lines that are named."""
    part = outcome.part.partition(" (")[0]
    if part:
        yield from (node for node in nodes if f"{node.layer}.".startswith(f"{part}."))
        return
    lines = {(f.place.path, f.place.row) for f in findings}
    lines |= {(outcome.site.path, outcome.site.row)} if outcome.site else set()
    yield from (node for node in nodes if (node.site.path, node.site.row) in lines)
