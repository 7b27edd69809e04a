"""A model as torch.jit.trace records it, for converters that start there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from lintorch.guest.export.exporter import Job
from lintorch.guest.export.flat_outputs import flatten_outputs


def trace_module(job: Job, example: Sequence[torch.Tensor] | None = None) -> Any:
    """The trace of a job's module, on its example or another."""
    given = job.example if example is None else tuple(example)
    return torch.jit.trace(
        flatten_outputs(job), job.arrange_arguments(given), check_trace=False, strict=False
    )


def find_call_stack(job: Job, operators: Sequence[str]) -> str:
    """Where the first of these operators is called, as a printed stack, the innermost line last."""
    stacks = (
        node.sourceRange() for node in _find_nodes(trace_module(job).inlined_graph, operators)
    )
    return "\n".join(reversed(next(stacks, "").splitlines()))


def _find_nodes(graph: Any, operators: Sequence[str]) -> Iterator[Any]:
    """The nodes, of a graph and its blocks, of these kinds."""
    for node in graph.nodes():
        for block in node.blocks():
            yield from _find_nodes(block, operators)
        if node.kind() in operators:
            yield node
