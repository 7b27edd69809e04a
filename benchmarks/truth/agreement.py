"""Trial exports against labels: where they agree, and the finding at the line to blame."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from truth.ask import Asker
from truth.labels import EXPORTERS, Cell, Label

_RIGHT, _WRONG = ("ok", "doubtful"), ("wrong", "failed")
_PLACES = re.compile(r"\bat (?:the traced size|([a-z_,]+) \d+(?:×\d+)*)")
_FIXED = re.compile(r"the code fixes (.+), declared dynamic")
_UNSOLVED = "cannot solve for the sizes declared dynamic"
_NAME = re.compile(r"([a-z]\w*) \(\d+\)")


@dataclass(frozen=True)
class Compared:
    """What labels and lintorch say of a model with an exporter.

    `said_right` is None where lintorch tried nothing. `at_line` says whether a finding stands at a
    line to blame; None where the labels blame none.
    """

    label: Label
    exporter: str
    cell: Cell
    said_right: bool | None
    said: str
    at_line: bool | None
    seconds: float

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.said_right is self.cell.right

    @property
    def is_beyond(self) -> bool:
        """Whether lintorch shows it wrong at sizes alone that the labels did not try."""
        names = _list_wrong_sizes(self.said)
        alone = bool(names) and not names & {"", "batch"}
        return self.cell.right and self.said_right is False and not self.cell.sides and alone


def compare_exports(
    labels: Iterable[Label], asker: Asker, *, kept: bool = False
) -> Iterator[Compared]:
    """Each labelled cell, model after model; those with a `kept` answer alone, if asked for."""
    wanted = [word for exporter in EXPORTERS for word in ("--to", exporter)]
    for label in labels:
        if kept and not asker.has_answer(label, "export", *wanted):
            continue
        told, _ = asker.ask(label, "export", *wanted)
        trials = {each["exporter"]: each for each in (told or {}).get("trials", ())}
        for exporter, cell in label.cells.items():
            yield _compare_cell(label, exporter, cell, trials.get(exporter, {}))


def _compare_cell(label: Label, exporter: str, cell: Cell, trial: dict[str, Any]) -> Compared:
    status = trial.get("status", "not run")
    right = True if status in _RIGHT else False if status in _WRONG else None
    said = f"{status} {trial.get('message') or ''}".strip()
    at_line = None
    if not cell.right and cell.blamed:
        at_line = bool(cell.blamed & _list_lines(label, trial))
    return Compared(label, exporter, cell, right, said, at_line, trial.get("seconds") or 0.0)


def _list_lines(label: Label, trial: dict[str, Any]) -> set[str]:
    """The lines that a trial's findings stand at, as labels write them."""
    places = [finding["location"] for finding in trial.get("findings", ())]
    return {f"{label.repository}/{place['filename']}:{place['row']}" for place in places if place}


def _list_wrong_sizes(said: str) -> set[str]:
    """The names of the sizes at which an export is wrong, or that it fixes; "" for the first sizes."""
    if fixed := _FIXED.search(said):
        return {*_NAME.findall(fixed[1])}
    if _UNSOLVED in said:  # those of the batch are solved, or the labels would have met it
        return {"sides"}
    return {name for match in _PLACES.finditer(said) for name in (match[1] or "").split(",")}
