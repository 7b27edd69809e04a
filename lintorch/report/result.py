"""Everything that a report shows: the value that every output format reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintorch.core.finding import Finding, Place

if TYPE_CHECKING:
    from lintorch.core.rule import Rule


@dataclass(frozen=True)
class Repaired:
    """What was mended in one file: the findings, and how many imports went that this left idle."""

    path: str
    findings: tuple[Finding, ...] = ()
    imports: int = 0
    verdicts: tuple[str, ...] = ()
    """What came of verifying the fixes, a line for those of which the same is to be said."""


@dataclass(frozen=True)
class Result:
    """What a check found. `findings` come sorted by file, row, column and code."""

    findings: tuple[Finding, ...] = ()
    withdrawn: tuple[Finding, ...] = ()
    """Findings that a trace refuted; listed only with `show_refuted`."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Decoded source by path; what is absent gets no code frame."""
    cells: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """The same of cells of notebooks, by path and number."""
    repaired: tuple[Repaired, ...] = ()
    """The files that were mended, and what in each."""
    unsafe: bool = False
    """Whether unsafe fixes count among those that `--fix` puts in."""
    show_refuted: bool = False
    quiet: bool = False
    """Whether reports for people tell findings and nothing else."""
    files: int = 0
    """How many were checked."""
    notebooks: int = 0
    """How many lie in the folders checked, and were not read."""
    whole: bool = True
    """Whether all that was asked for could be looked at, and run."""
    models: tuple[str, ...] = ()
    """One line for each model that ran, ready to be shown."""
    advice: int = 0
    """How many further findings are advice, which was not asked for."""

    urls: Mapping[str, str] = field(default_factory=dict)
    """Addresses of the pages of rules, by code."""
    rules: Mapping[str, Rule] = field(default_factory=dict)
    """The rules of the findings, by code; only for formats that describe them."""

    @property
    def fixed(self) -> int:
        """How many findings were mended."""
        return sum(len(each.findings) for each in self.repaired)

    def text(self, place: Place) -> str | None:
        """The source that the rows of `place` count in, where it is known."""
        if place.cell:
            return self.cells.get((place.path, place.cell))
        return self.texts.get(place.path)
