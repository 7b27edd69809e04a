"""What the exporters write for the modules and functions of torch: `torch.nn.LayerNorm` at opset 17."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from lintorch.targets.runtime_tables import read_table

_FIRST_NEW = 18
"""The lowest opset that the new exporter writes."""
_EXPORTERS = "onnx", "onnx-legacy"
Changes = Sequence[tuple[int, Sequence[str] | None]]


@functools.cache
def load_rows() -> Mapping[str, Mapping[str, Any]]:
    """The measured rows, by each name that they are of."""
    table = read_table("_torch_operators")["rows"]
    return {name: row for row in table for name in (row["name"], *row.get("also", ()))}


def list_written(name: str, exporter: str, opset: int) -> tuple[str, ...] | None:
    """The ONNX operators that an exporter writes; None where it refuses, or nothing was measured."""
    found: Sequence[str] | None = None
    asked = max(opset, _FIRST_NEW) if exporter == "onnx" else opset
    for begin, written in _list_changes(name, exporter):
        if begin <= asked:
            found = written
    return None if found is None else tuple(found)


def find_first_opset(name: str, exporter: str) -> int | None:
    """The first opset at which an exporter writes it; None where there is none, or none is known."""
    return next((begin for begin, written in _list_changes(name, exporter) if written), None)


def list_traced(name: str) -> tuple[str, ...]:
    """The operators of PyTorch that it is, as torch.export finds them."""
    return tuple(load_rows().get(name, {}).get("aten", ()))


def list_writers(operator: str) -> tuple[str, ...]:
    """The names of torch that an exporter writes as an ONNX operator; of `aten.topk`, those that are traced so."""
    return tuple(
        name
        for name, row in load_rows().items()
        if any(operator == traced.rpartition(".")[0] for traced in row.get("aten", ()))
        or any(operator in (names or ()) for key in _EXPORTERS for _, names in row.get(key, ()))
    )


def find_last_without(operator: str, exporter: str) -> tuple[int, frozenset[str]] | None:
    """The last opset at which an exporter writes others in place of an ONNX operator, and which.

    None where anything is written as that operator from the first opset on.
    """
    found: list[tuple[int, frozenset[str]]] = []
    for row in load_rows().values():
        changes = [(begin, names) for begin, names in row.get(exporter, ()) if names]
        at = next((n for n, (_, names) in enumerate(changes) if operator in names), None)
        if at == 0:
            return None
        if at is not None:
            found.append((changes[at][0] - 1, frozenset(changes[at - 1][1])))
    lowest = min((opset for opset, _ in found), default=0)
    return (lowest, frozenset().union(*(names for _, names in found))) if found else None


def _list_changes(name: str, exporter: str) -> Changes:
    found: Changes = load_rows().get(name, {}).get(exporter, ())
    return found
