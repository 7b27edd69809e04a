"""A model as torch.jit.trace records it, for converters that start there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
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
    return turn_round(next(stacks, ""))


def list_kept_devices(traced: Any) -> Iterator[str]:
    """Where a trace makes or moves tensors on a device that is a constant of it, as printed stacks."""
    with suppress(RuntimeError):  # a graph that cannot be inlined
        for node in _find_nodes(traced.inlined_graph, ("prim::Constant",)):
            if str(node.output().type()) == "Device":
                for use in node.output().uses():
                    yield turn_round(use.user.sourceRange())


def turn_round(stack: str) -> str:
    """A printed stack with the innermost line last."""
    return "\n".join(reversed(stack.splitlines()))


def _find_nodes(graph: Any, operators: Sequence[str]) -> Iterator[Any]:
    """The nodes, of a graph and its blocks, of these kinds."""
    for node in graph.nodes():
        for block in node.blocks():
            yield from _find_nodes(block, operators)
        if node.kind() in operators:
            yield node


def list_called(job: Job) -> list[str]:
    """The operators that a job's trace calls, each once, in order: `aten::add`."""
    return [*dict.fromkeys(_list_kinds(trace_module(job).inlined_graph))]


def _list_kinds(graph: Any) -> Iterator[str]:
    for node in graph.nodes():
        for block in node.blocks():
            yield from _list_kinds(block)
        if node.kind().startswith("aten::"):
            yield node.kind()
