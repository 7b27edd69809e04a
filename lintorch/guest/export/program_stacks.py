"""Where a program of torch.export calls an operator: read off the frames that an error went through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lintorch.guest.export.error_reading import list_causes, list_frames

_NAMES = ("program", "exported_program")
"""What exporters call the program that they lower, and TVM what it decomposes that to."""


def find_program_stack(error: BaseException, *names: str) -> str:
    """The stack of the first node that calls one of some operators, in the program that was being lowered."""
    for node in _list_nodes(error):
        target = f".{node.target}."
        if node.op == "call_function" and any(f".{name}." in target for name in names):
            return str(node.meta.get("stack_trace") or "")
    return ""


def _list_nodes(error: BaseException) -> Iterator[Any]:
    for inner in list_causes(error):
        for frame in list_frames(inner):
            for name in _NAMES:
                graph: Any = getattr(frame.f_locals.get(name), "graph", None)
                yield from graph.nodes if graph is not None else ()
