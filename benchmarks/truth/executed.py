"""Which lines each labelled model executes, and which of its sizes an export of it was tried at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truth.labels import Cell, read_cells

_BATCH = ("B", "N")
"""The letters of batch sizes in the labels."""
_BATCH_PATHS = ("export_dynb",)
"""Paths that vary the batch size alone, whatever else the labels vary."""


@dataclass(frozen=True)
class ExecutedModel:
    """A labelled model: by file the rows that its forward runs, and how its exports ended.

    `varied` are the letters of its sizes that differ between the first and the second inputs.
    """

    name: str
    rows: Mapping[str, frozenset[int]]
    cells: Mapping[str, Cell]
    varied: frozenset[str]
    kind: str = ""
    """The name of its class."""

    def varies_only_batch(self, cell: Cell) -> bool:
        """Whether that export says nothing of sizes but the first axis'."""
        return cell.path in _BATCH_PATHS or self.varied <= {*_BATCH}


def read_executed(truth: Path) -> Iterator[ExecutedModel]:
    """Every model of the labels, in their order."""
    for line in truth.read_text(encoding="utf-8").splitlines():
        written = json.loads(line)
        rows = {file: read_rows(ranges) for file, ranges in written["exec_lines"].items()}
        kind = written.get("model_class", "").rpartition(".")[2]
        yield ExecutedModel(written["id"], rows, read_cells(written), _list_varied(written), kind)


def read_rows(ranges: str) -> frozenset[int]:
    """The rows of `48-52,60`."""
    ends = (part.partition("-") for part in ranges.split(",") if part)
    return frozenset(
        row for first, _, last in ends for row in range(int(first), int(last or first) + 1)
    )


def _list_varied(written: Mapping[str, Any]) -> frozenset[str]:
    first, second = written["dims"], written["dims2"]
    return frozenset(name for name in second if second[name] != first.get(name))
