"""All ONNX operators of a file that holds one call of torch: those that move, cast and shape values, too."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from lintorch.targets import written_operators
from lintorch.targets.runtime_tables import read_table

NEW = "onnx"
_MOVES = frozenset(
    ("Cast", "CastLike", "Concat", "ConstantOfShape", "Expand", "Flatten", "Gather", "Identity", "Reshape",
     "Shape", "Size", "Slice", "Split", "Squeeze", "Transpose", "Unsqueeze")
)  # fmt: skip
LOWEST = {"onnx-legacy": 9, "onnx": 18}
"""By exporter: the lowest opset that was measured."""
OPSETS = {"onnx-legacy": tuple(range(9, 21)), "onnx": (18, 20, 21, 23)}
"""By exporter: the opsets that were measured, in order."""


@functools.cache
def _load_rows() -> Mapping[str, Mapping[str, Any]]:
    table = read_table("_torch_written")["rows"]
    return {name: row for row in table for name in (row["name"], *row.get("also", ()))}


def is_measured(name: str) -> bool:
    """Whether exports of a call of this name, with its variant, were looked at."""
    return name in _load_rows()


def list_measured() -> tuple[str, ...]:
    """All calls whose exports were looked at, with their variants."""
    return tuple(_load_rows())


def is_written_by(name: str, exporter: str) -> bool:
    """Whether those of one exporter were."""
    row = _load_rows()[name]
    return exporter in row or (
        exporter == NEW and exporter in written_operators.load_rows().get(name, ())
    )


def list_needed(name: str, exporter: str, opset: int) -> tuple[str, ...] | None:
    """The ONNX operators of a file that holds the call; None where the exporter refuses it.

    What the new exporter was measured to write without operators that only move values needs those
    that the other one writes, too. Raises KeyError for what was not measured.
    """
    row = _load_rows()[name]
    if exporter in row:
        return _find_written(row[exporter], opset)
    if not is_written_by(name, exporter):
        raise KeyError(name)
    written = written_operators.list_written(name, exporter, opset)
    moves = _find_written(row.get("onnx-legacy", ()), opset) or ()
    return None if written is None else (*written, *(each for each in moves if each in _MOVES))


def _find_written(
    changes: Sequence[tuple[int, Sequence[str] | None]], opset: int
) -> tuple[str, ...] | None:
    found: Sequence[str] | None = None
    for begin, operators in changes:
        if begin <= opset:
            found = operators
    return None if found is None else tuple(found)


def find_first_opset(name: str, exporter: str) -> int | None:
    """The lowest measured opset at which it is written; None where it is at none."""
    return next((n for n in OPSETS[exporter] if list_needed(name, exporter, n) is not None), None)
