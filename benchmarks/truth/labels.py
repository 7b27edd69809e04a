"""What labels say of models: where each is defined, what it is fed, and how each export of it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXPORTERS: Mapping[str, tuple[str, ...]] = {
    "torch.export": ("export_dynhw", "export_dynb"),
    "onnx": ("onnx_dynamo_dyn",),
    "onnx-legacy": ("onnx_ts17",),
    "torchscript-trace": ("jit_trace",),
    "torchscript-script": ("jit_script",),
}
"""Paths of the labels by exporter: the first that has a verdict counts."""
_RIGHT = ("ok", "warning")
_WRONG = ("wrong", "rt_error", "error")


@dataclass(frozen=True)
class Cell:
    """How one export of a model ended: right or wrong, and the lines ("file:row") to blame."""

    path: str
    right: bool
    status: str
    blamed: frozenset[str]


@dataclass(frozen=True)
class Label:
    """A labelled model: its file below the folder of repositories, its class, what it is fed."""

    name: str
    file: str
    qualname: str
    row: int
    ranks: tuple[int, ...]
    cells: Mapping[str, Cell]

    @property
    def repository(self) -> str:
        """The first folder of its file."""
        return self.file.partition("/")[0]


def read_labels(truth: Path, repositories: Path) -> Iterator[Label]:
    """Models whose class stands in a file of the repositories, each class once."""
    seen: set[tuple[str, str]] = set()
    for line in truth.read_text(encoding="utf-8").splitlines():
        written = json.loads(line)
        file, _, row = written.get("model_def", "").rpartition(":")
        qualname = written.get("model_class", "").rpartition(".")[2]
        if file and (repositories / file).is_file() and (file, qualname) not in seen:
            seen.add((file, qualname))
            ranks = tuple(sorted(len(given["shape"]) for given in written["inputs"]))
            yield Label(written["id"], file, qualname, int(row), ranks, _read_cells(written))


def _read_cells(written: Mapping[str, Any]) -> dict[str, Cell]:
    found = {}
    for exporter, names in EXPORTERS.items():
        told = ((name, written["paths"].get(name, {})) for name in names)
        for name, verdict in told:
            status = verdict.get("status", "")
            if status in (*_RIGHT, *_WRONG):
                blamed = frozenset(
                    filter(None, (verdict.get("where"), *verdict.get("suspect_lines", ())))
                )
                found[exporter] = Cell(name, status in _RIGHT, status, blamed)
                break
    return found
