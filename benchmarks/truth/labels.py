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
    cause: str = ""
    visible: bool | None = None
    """Whether a reader could tell from the blamed line alone; None where the labels do not say."""
    static_blame: str = ""
    """The line to blame for the static export, where that fails already and no other was tried."""


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
            yield Label(written["id"], file, qualname, int(row), ranks, read_cells(written))


def read_cells(written: Mapping[str, Any]) -> dict[str, Cell]:
    """By exporter how its first path with a verdict ended."""
    found = {}
    for exporter, names in EXPORTERS.items():
        verdicts = ((name, written["paths"].get(name, {})) for name in names)
        for name, verdict in verdicts:
            status = verdict.get("status", "")
            if status in (*_RIGHT, *_WRONG):
                blamed = frozenset(
                    filter(None, (verdict.get("where"), *verdict.get("suspect_lines", ())))
                )
                found[exporter] = Cell(
                    name, status in _RIGHT, status, blamed, **_tell_cause(written["paths"], name)
                )
                break
    return found


def _tell_cause(paths: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Why an export went wrong, in the labels' words."""
    verdict = paths[name]
    if verdict["status"] in _RIGHT:
        return {}
    if "cause" in verdict or "bad_at" in verdict:
        cause = verdict.get("cause") or f"{verdict['status']} at {', '.join(verdict['bad_at'])}"
        return {"cause": cause, "visible": verdict.get("visible_on_line")}
    static = paths.get("export", {})
    return {"cause": static.get("cause", ""), "static_blame": static.get("where") or ""}
