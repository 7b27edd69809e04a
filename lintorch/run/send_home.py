"""Findings at lines of another file than the one whose models led there."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lintorch.core.finding import Finding, Fix
from lintorch.run.lint_task import Linted, LintTask

_MOST_LEADS = 30
"""Files that lead to the lines of another; its fixes are looked for again in all of them, after each round."""
_What = tuple[object, ...]
_Strays = Mapping[_What, Sequence[Finding]]


def send_home(linted: Sequence[Linted], tasks: Sequence[LintTask]) -> list[Linted]:
    """Each finding with the file that it stands in, once.

    Those of files that are not checked, or not with that rule, are left out. One has a fix where
    all files that lead to its line say the same of how to mend it.
    """
    homes = {os.path.abspath(task.path): task for task in tasks}
    strays: dict[str, dict[_What, list[Finding]]] = defaultdict(lambda: defaultdict(list))
    for each in linted:
        for finding in each.findings:
            home = homes.get(os.path.abspath(finding.place.path))
            if finding.place.path != each.path and home and finding.code in home.codes:
                placed = replace(finding, place=replace(finding.place, path=home.path))
                where = (placed.place.column, *_what_it_says(placed))
                strays[home.path][where].append(placed)
    leads = find_leads(linted, tasks)
    return [
        _take_in(each, strays.get(each.path, {}), len(leads.get(each.path, ())) <= _MOST_LEADS)
        for each in linted
    ]


def find_leads(
    linted: Sequence[Linted], tasks: Sequence[LintTask]
) -> Mapping[str, tuple[LintTask, ...]]:
    """By the path of a file: those that lead to a line in it of which one of them says how to mend it."""
    homes = {os.path.abspath(task.path): task.path for task in tasks}
    leading: dict[str, dict[str, LintTask]] = defaultdict(dict)
    codes = {(f.place.path, f.code) for each in linted for f in _list_strays(each) if f.fix}
    for each, task in zip(linted, tasks, strict=True) if codes else ():
        for finding in _list_strays(each):
            home = homes.get(os.path.abspath(finding.place.path))
            if home and (finding.place.path, finding.code) in codes:
                leading[home][task.path] = replace(task, entered=each.entered)
    return {home: tuple(found.values()) for home, found in leading.items()}


def _list_strays(linted: Linted) -> Iterable[Finding]:
    return (f for f in linted.findings if f.place.path != linted.path)


def _take_in(linted: Linted, strays: _Strays, may_fix: bool) -> Linted:
    own = tuple(f for f in linted.findings if f.place.path == linted.path)
    told = {_what_it_says(finding) for finding in own if not finding.confirms}
    waiting = {_what_it_says(finding): finding for finding in own if finding.confirms}
    more = tuple(
        _lend(finding, waiting.get(what))
        for (_, *said), found in strays.items()
        for what, finding in ((tuple(said), _join_strays(found, may_fix)),)
        if what not in told and not (what in waiting and finding.confirms)
    )
    return (
        replace(linted, findings=own + more) if more or len(own) < len(linted.findings) else linted
    )


def _join_strays(found: Sequence[Finding], may_fix: bool) -> Finding:
    """What is said of a line first, with the fix of all that say so."""
    first = next((each for each in found if not each.confirms), found[0])
    alike = (each for each in found if each.said == first.said)
    same = may_fix and all(_agree(each.fix, first.fix) for each in alike)
    return first if same else replace(first, fix=None)


def _agree(fix: Fix | None, other: Fix | None) -> bool:
    if fix is None or other is None:
        return fix is other
    return (fix.edits, fix.applicability) == (other.edits, other.applicability)


def _lend(finding: Finding, waiting: Finding | None) -> Finding:
    """What a model of another file shows of a line, with the fix that waited for it there."""
    if waiting is None or waiting.fix is None:
        return finding
    if finding.fix is None:
        return replace(finding, fix=waiting.fix, remedy=waiting.remedy or finding.remedy)
    return finding if finding.fix.edits == waiting.fix.edits else replace(finding, fix=None)


def _what_it_says(finding: Finding) -> _What:
    return finding.code, finding.target, finding.place.row
