"""What the source tier foretells of each labelled export, held against how it ended.

A finding foretells that an export of a model goes wrong where it stands at a line that the model
executes (or at the `def` of a function that it executes, or at a line to blame) and says of the
exporter that the line is refused there, fails, or computes other numbers. A needless warning is no
prediction, nor is a finding that speaks of no exporter.

The labels cannot contradict all of these. Where an export varied no size but the batch's, and went
right, nothing is known of height and width: what rules of sizes say there is left undecided, unless
their message is about the batch. No label saved what jit.trace gave, and a finding that says "where
BertModel itself is exported" is about labels of that class alone. Reports of the source tier do not name the size, so it is by the
rule and by that word that the two are told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from truth.executed import ExecutedModel
from truth.labels import Cell
from truth.source_findings import CheckedSources, SourceFinding

SIZE_RULES = frozenset(
    {"LT101", "LT104", "LT105", "LT116", "LT117", "LT118", "LT119", "LT120", "LT130", "LT135"}
)
"""Rules whose hazards show only where some size differs from the example's."""
_ITSELF = re.compile(r" where (\w+) itself is exported")
_TRACED = "torchscript-trace"
_COMPILED = "torchscript-script"
"""The exporter that reads the source, and no sizes."""


@dataclass(frozen=True)
class ForetoldCell:
    """A model with an exporter: how it ended, and the findings that foretell a bad end."""

    model: ExecutedModel
    exporter: str
    cell: Cell
    foretelling: tuple[SourceFinding, ...]
    undecided: tuple[SourceFinding, ...]
    """Findings that this right end does not contradict."""

    @property
    def said_bad(self) -> bool:
        """Whether a finding says so, and the labels can tell."""
        return bool(self.foretelling)

    def says_silent(self, words: Iterable[str]) -> bool:
        """Whether a finding uses one of these words of the exporter."""
        return any(each.harm[self.exporter] in words for each in self.foretelling)

    @property
    def at_blame(self) -> tuple[SourceFinding, ...]:
        """The findings at a line to blame."""
        return tuple(each for each in self.foretelling if stands_at(each, self.cell.blamed))


def foretell(models: Iterable[ExecutedModel], checked: CheckedSources) -> Iterator[ForetoldCell]:
    """Each labelled cell, model after model."""
    for model in models:
        at_lines = tuple(_find_at_lines(model, checked))
        for exporter, cell in model.cells.items():
            blamed = _find_blamed(cell, checked)
            concerned = [
                each for each in at_lines if exporter in each.harm and _is_about(each, model)
            ]
            concerned += [
                each for each in blamed if exporter in each.harm and each not in concerned
            ]
            fixed = model.varies_only_batch(cell)
            undecided = [
                each
                for each in concerned
                if cell.right
                and ((fixed and _hangs_on_size(each, exporter)) or _hangs_on_save(each, exporter))
            ]
            left = tuple(each for each in concerned if each not in undecided)
            yield ForetoldCell(model, exporter, cell, left, tuple(undecided))


def stands_at(finding: SourceFinding, lines: Iterable[str]) -> bool:
    """Whether one of its rows is among lines written as file:row."""
    return any(f"{finding.file}:{row}" in lines for row in finding.rows)


def _find_at_lines(model: ExecutedModel, checked: CheckedSources) -> Iterator[SourceFinding]:
    for file, rows in model.rows.items():
        if file in checked.statements:
            executed = checked.statements[file].add_headers(rows)
            for each in checked.findings.get(file, ()):
                if each.rows & executed:
                    yield each


def _find_blamed(cell: Cell, checked: CheckedSources) -> Iterator[SourceFinding]:
    """Scripting compiles functions that a forward does not reach, and is refused for these too."""
    for file in {line.rpartition(":")[0] for line in cell.blamed}:
        for each in checked.findings.get(file, ()):
            if stands_at(each, cell.blamed):
                yield each


def _is_about(finding: SourceFinding, model: ExecutedModel) -> bool:
    """Whether a finding that is about the export of one class is about this model."""
    itself = _ITSELF.search(finding.message)
    return itself is None or itself[1] == model.kind


def _hangs_on_save(finding: SourceFinding, exporter: str) -> bool:
    return exporter == _TRACED and "which is not saved" in finding.message


def _hangs_on_size(finding: SourceFinding, exporter: str) -> bool:
    sized = exporter != _COMPILED and finding.code in SIZE_RULES
    return sized and "batch" not in finding.message
