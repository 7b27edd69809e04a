"""What labels say of models: where each is defined, what it is fed, and how each export of it ends."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
_BATCH_ALONE = "export_dynb"
_RIGHT = ("ok", "warning")
_WRONG = ("wrong", "rt_error", "error")


@dataclass(frozen=True)
class Cell:
    """How one export of a model ended: right or wrong, and the lines ("file:row") to blame.

    `sides` says whether other sizes than the batch were tried.
    """

    path: str
    right: bool
    status: str
    blamed: frozenset[str]
    cause: str = ""
    visible: bool | None = None
    """Whether a reader could tell from the blamed line alone; None where the labels do not say."""
    static_blame: str = ""
    """The line to blame for the static export, where that fails already and no other was tried."""
    sides: bool = True


@dataclass(frozen=True)
class Label:
    """A labelled model: its file below the folder of repositories, its class, what it is fed.

    `unjudged` counts the exports without a verdict, by why: `nondet`, `timeout`, `skipped`.
    """

    name: str
    file: str
    qualname: str
    row: int
    ranks: tuple[int, ...]
    cells: Mapping[str, Cell]
    unjudged: Mapping[str, int] = field(default_factory=dict)

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
            cells = read_cells(written)
            unjudged = _count_unjudged(written, cells)
            yield Label(written["id"], file, qualname, int(row), ranks, cells, unjudged)


def read_cells(written: Mapping[str, Any]) -> dict[str, Cell]:
    """By exporter how its first path with a verdict ended."""
    found = {}
    sides = _changes_sides(written)
    for exporter, names in EXPORTERS.items():
        verdicts = ((name, written["paths"].get(name, {})) for name in names)
        for name, verdict in verdicts:
            status = verdict.get("status", "")
            if status in (*_RIGHT, *_WRONG):
                blamed = frozenset(
                    filter(None, (verdict.get("where"), *verdict.get("suspect_lines", ())))
                )
                right, tried = status in _RIGHT, sides and name != _BATCH_ALONE
                told = _tell_cause(written["paths"], name)
                found[exporter] = Cell(name, right, status, blamed, sides=tried, **told)
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


def _count_unjudged(written: Mapping[str, Any], cells: Mapping[str, Cell]) -> dict[str, int]:
    left = (names for exporter, names in EXPORTERS.items() if exporter not in cells)
    return Counter(
        written["paths"].get(names[0], {}).get("status") or "not labelled" for names in left
    )


def _changes_sides(written: Mapping[str, Any]) -> bool:
    """Whether the second sizes are others than the first in more than the batch."""
    first, second = written.get("dims", {}), written.get("dims2", {})
    return any(second.get(name, size) != size for name, size in first.items() if name != "B")
