"""The order in which an exporter wrote nodes that an optimizer put into another one."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lintorch.onnx_file.model import OnnxNode

_NUMBERED = re.compile(r"(?P<kind>.*?)_?(?P<number>\d*)")


def restore_order(nodes: Sequence[OnnxNode]) -> tuple[OnnxNode, ...]:
    """By the numbers at the ends of their names (`/attn/Add`, `/attn/Add_1`), which exporters count up.

    A value still comes before what takes it, and else the file's order holds: it is the answer too
    where the numbers are in order, or contradict the values (another tool counted).
    """
    numbers = [_read_number(each) for each in nodes]
    chains: dict[str, list[int]] = {}
    for index, (kind, _) in enumerate(numbers):
        chains.setdefault(kind, []).append(index)
    sorted_chains = [sorted(each, key=lambda n: numbers[n][1]) for each in chains.values()]
    if all(each == sorted(each) for each in sorted_chains):
        return tuple(nodes)
    edges = [*_list_edges(nodes), *(pair for each in sorted_chains for pair in pairwise(each))]
    ordered = _sort(len(nodes), edges)
    return tuple(nodes[each] for each in ordered) if len(ordered) == len(nodes) else tuple(nodes)


def _read_number(node: OnnxNode) -> tuple[str, int]:
    """Its name without the number, and that: the first has none. A node without a name is alone."""
    match = _NUMBERED.fullmatch(node.name) if len(node.name) < 1000 else None
    if not node.name or match is None or len(match["number"]) > 9:
        return f"{id(node)}", 0
    return match["kind"], int(match["number"] or 0)


def _list_edges(nodes: Sequence[OnnxNode]) -> Iterator[tuple[int, int]]:
    made = {value: index for index, node in enumerate(nodes) for value in node.outputs if value}
    for index, node in enumerate(nodes):
        yield from ((made[value], index) for value in node.inputs if value in made)


def _sort(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Each behind what it follows, the smallest number first; fewer where it goes round."""
    after: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for first, second in edges:
        after[first].append(second)
        waits[second] += 1
    ready = [each for each in range(count) if not waits[each]]
    ordered: list[int] = []
    while ready:
        ordered.append(heapq.heappop(ready))
        for each in after[ordered[-1]]:
            waits[each] -= 1
            if not waits[each]:
                heapq.heappush(ready, each)
    return ordered
