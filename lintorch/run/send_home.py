"""Findings at lines of another file than the one whose models led there."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from lintorch.core.finding import Finding
from lintorch.run.lint_task import Linted, LintTask


def send_home(linted: Sequence[Linted], tasks: Sequence[LintTask]) -> list[Linted]:
    """Each finding with the file that it stands in, once.

    Those of files that are not checked, or not with that rule, are left out.
    """
    homes = {os.path.abspath(task.path): task for task in tasks}
    strays: dict[str, dict[tuple[object, ...], Finding]] = defaultdict(dict)
    for each in linted:
        for finding in each.findings:
            home = homes.get(os.path.abspath(finding.place.path))
            if finding.place.path != each.path and home and finding.code in home.codes:
                placed = replace(finding, place=replace(finding.place, path=home.path))
                strays[home.path].setdefault(_what_it_says(placed), placed)
    return [_take_in(each, strays.get(each.path, {})) for each in linted]


def _take_in(linted: Linted, strays: dict[tuple[object, ...], Finding]) -> Linted:
    own = tuple(f for f in linted.findings if f.place.path == linted.path)
    told = {_what_it_says(finding) for finding in own if not finding.confirms}
    waiting = {_what_it_says(finding): finding for finding in own if finding.confirms}
    more = tuple(
        _lend(finding, waiting.get(what))
        for what, finding in strays.items()
        if what not in told and not (what in waiting and finding.confirms)
    )
    return (
        replace(linted, findings=own + more) if more or len(own) < len(linted.findings) else linted
    )


def _lend(finding: Finding, waiting: Finding | None) -> Finding:
    """What a model of another file shows of a line, with the fix that waited for it there."""
    if waiting is None or finding.fix is not None or waiting.fix is None:
        return finding
    return replace(finding, fix=waiting.fix, remedy=waiting.remedy or finding.remedy)


def _what_it_says(finding: Finding) -> tuple[object, ...]:
    return finding.code, finding.target, finding.place.row
