"""Finds nodes of a model by a name that somebody read in an error."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lintorch.onnx_file.model import OnnxGraph, OnnxModel, OnnxNode
from lintorch.onnx_file.restore_order import restore_order

_FARTHEST = 40


class NoNodeError(Exception):
    """No node has the name, or several may be meant; says which ones come close."""


@dataclass(frozen=True)
class Body:
    """A graph, subgraph or function, and how its values go from node to node."""

    where: str
    """"" for the graph itself."""
    graph: OnnxGraph

    @cached_property
    def producers(self) -> dict[str, OnnxNode]:
        """By value, the node that computes it."""
        return {value: node for node in self.graph.nodes for value in node.outputs if value}

    @cached_property
    def consumers(self) -> dict[str, list[OnnxNode]]:
        """By value, the nodes that take it, in order."""
        found: dict[str, list[OnnxNode]] = {}
        for node in self.graph.nodes:
            for value in dict.fromkeys(node.inputs):
                if value:
                    found.setdefault(value, []).append(node)
        return found

    @cached_property
    def weights(self) -> frozenset[str]:
        """The names of the initializers."""
        return frozenset(each.name for each in self.graph.initializers)

    @cached_property
    def telling_weights(self) -> frozenset[str]:
        """Those whose names tell the module of the nodes that take them.

        Optimizers put one weight for all that are equal (ones, zeros), named after one of their
        modules; tied weights too bear one name of two. Only a matrix that one operator takes is shared
        by calls of one module.
        """
        takers = {each.name: self.consumers.get(each.name, ()) for each in self.graph.initializers}
        return frozenset(
            each.name
            for each in self.graph.initializers
            if len(takers[each.name]) < 2
            or (len(each.dims) > 1 and len({node.operator for node in takers[each.name]}) == 1)
        )

    @cached_property
    def ordered(self) -> tuple[OnnxNode, ...]:
        """The nodes in the order in which they were exported, as far as their names tell it."""
        return restore_order(self.graph.nodes)

    def list_before(self, node: OnnxNode) -> Iterator[OnnxNode]:
        """The nodes whose values it takes."""
        yield from (self.producers[each] for each in node.inputs if each in self.producers)

    def list_after(self, node: OnnxNode) -> Iterator[OnnxNode]:
        """The nodes that take its values."""
        for value in node.outputs:
            yield from self.consumers.get(value, ())

    def list_takers(self, node: OnnxNode) -> Iterator[OnnxNode]:
        """The nodes that its values go to, nearest first, further ones through these; a few of them."""
        waiting, seen, at = [node], {id(node)}, 0
        while at < len(waiting) and at < _FARTHEST:
            for after in self.list_after(waiting[at]):
                if id(after) not in seen:
                    seen.add(id(after))
                    waiting.append(after)
                    yield after
            at += 1


@dataclass(frozen=True)
class FoundNode:
    """A node that was asked for; `by` says what of it has the name: "", "output", "input" or "end of its name"."""

    node: OnnxNode
    body: Body
    by: str = ""


class NodeFinder:
    """The nodes of a model by their names and those of their values."""

    def __init__(self, model: OnnxModel) -> None:
        self.bodies = tuple(Body(where, graph) for where, graph in model.list_bodies())

    def find(self, name: str) -> FoundNode:
        """The node of this name; else that which computes the value, else the first that takes it.

        Else the only one whose name ends with it behind a `/`. Raises NoNodeError.
        """
        for found in (self._list_named(name), self._list_outputs(name), self._list_inputs(name)):
            first = next(found, None)
            if first is not None:
                return first
        ends = [*self._list_endings(name)]
        if len(ends) == 1:
            return ends[0]
        close = [each.node.name for each in ends] or self._list_close(name)
        said = (
            f"; {'it may be' if ends else 'close to it'}: {', '.join(close[:5])}" if close else ""
        )
        raise NoNodeError(f"it has no node or value {name!r}{said}")

    def _list_named(self, name: str) -> Iterator[FoundNode]:
        for body in self.bodies:
            yield from (FoundNode(n, body) for n in body.graph.nodes if name and n.name == name)

    def _list_outputs(self, name: str) -> Iterator[FoundNode]:
        for body in self.bodies:
            if name in body.producers:
                yield FoundNode(body.producers[name], body, "output")

    def _list_inputs(self, name: str) -> Iterator[FoundNode]:
        for body in self.bodies:
            if name in body.consumers:
                yield FoundNode(body.consumers[name][0], body, "input")

    def _list_endings(self, name: str) -> Iterator[FoundNode]:
        if not name:
            return
        for body in self.bodies:
            for node in body.graph.nodes:
                if node.name.endswith(f"/{name}"):
                    yield FoundNode(node, body, "end of its name")

    def _list_close(self, name: str) -> list[str]:
        names = dict.fromkeys(
            node.name for body in self.bodies for node in body.graph.nodes if node.name
        )
        return difflib.get_close_matches(name, [*names][:20_000], n=3)
