"""Takes back what trials show to be right: an exporter is struck from a finding, or the finding goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lintorch.core.finding import Evidence, Finding, Hazard
from lintorch.core.profile import MEASURED, weigh_hazard


def strike_exporters(
    hits: Sequence[Finding], trials: Sequence[Finding]
) -> tuple[list[Finding], str]:
    """The findings of one line as trials that went right leave them.

    Also the reason of the first of these trials where nothing is left of any finding, else "".
    A trial clears its own exporter, and no finding where the line holds more than it ran. What
    another trial with the exporter reproduced stands.
    """
    reproduced = {hit.exporter for hit in hits if hit.evidence is Evidence.EXPORT}
    told = [trial for trial in trials if trial.exporter not in reproduced]
    if not told:
        return [*hits], ""
    left = [cleared for hit in hits if (cleared := _strike_cleared(hit, hits, told)) is not None]
    return left, "" if left else told[0].refuted or ""


def _strike_cleared(
    hit: Finding, hits: Sequence[Finding], trials: Sequence[Finding]
) -> Finding | None:
    """A finding without the exporters that these trials clear; None where none is left."""
    hazard = hit.hazard
    if hazard is None or hit.evidence is Evidence.EXPORT:
        return hit
    sources = sum(other.evidence is Evidence.SOURCE for other in hits)
    right = {
        trial.exporter
        for trial in trials
        if (not trial.settles or trial.settles >= sources) and trial.exporter not in hazard.untried
    }
    harm = tuple((name, kind) for name, kind in hazard.harm if name not in right)
    if harm == hazard.harm:
        return hit
    if not harm:
        return None
    left = replace(hazard, harm=harm, fine=_list_fine(hazard, right))
    return replace(hit, severity=weigh_hazard(left), hazard=left)


def _list_fine(hazard: Hazard, right: set[str | None]) -> tuple[str, ...]:
    cleared = {name for name, _ in hazard.harm if name in right}
    return tuple(name for name in MEASURED if name in hazard.fine or name in cleared)
