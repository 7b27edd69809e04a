"""One finding, rising evidence: joins what source, trace and trial say of one line under one code."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from lintorch.core.codes import EXPORT_FAILED, EXPORT_WRONG
from lintorch.core.finding import Evidence, Finding, Fix, Note
from lintorch.core.strike_exporters import strike_exporters

GENERIC = frozenset({EXPORT_FAILED, EXPORT_WRONG})
"""Codes of trial outcomes that no rule explains; dropped where a rule does explain the outcome."""

_What = tuple[str, str | None]
"""A code, and the target that a finding is about."""


@dataclass(frozen=True)
class Merged:
    """Findings that stand, and findings that a trace withdrew, both sorted."""

    standing: tuple[Finding, ...]
    withdrawn: tuple[Finding, ...]


def merge_findings(findings: Iterable[Finding]) -> Merged:
    """Join findings of one code and target that lie on one line of source."""
    standing: list[Finding] = []
    withdrawn: list[Finding] = []
    groups = [list(group) for group in _group_by_line([*_tell_refusals_once(findings)])]
    for group in groups:
        lent = [f for f in group if f.confirms and f.evidence is Evidence.SOURCE]
        found = [f for f in group if f.refuted is None and f not in lent]
        if all(f.confirms for f in found):
            continue
        hits, cleared = strike_exporters(found, [f for f in group if _clears_exporter(f)])
        reasons = [f.refuted for f in group if f.refuted and _clears_line(f, found)]
        if cleared:
            sources = [f for f in found if f.evidence is Evidence.SOURCE]
            withdrawn += [replace(f, refuted=cleared) for f in sources or found[:1]]
        elif reasons and all(f.evidence is Evidence.SOURCE for f in hits):
            withdrawn += [replace(f, refuted=reasons[0]) for f in hits]
        else:
            standing += _lend_fix(_join_evidence(hits), lent)
    told = {(f.model, f.exporter) for group in groups for f in group if _explains_outcome(f)}
    kept = (f for f in standing if f.code not in GENERIC or (f.model, f.exporter) not in told)
    return Merged(sort_findings(kept), sort_findings(withdrawn))


def _clears_exporter(finding: Finding) -> bool:
    """Whether a trial has gone right, which speaks of its own exporter."""
    return finding.refuted is not None and bool(finding.exporter) and finding.target is None


def _clears_line(finding: Finding, found: Sequence[Finding]) -> bool:
    """Whether what refutes speaks of all that the source found there, for whatever exporter."""
    sources = sum(each.evidence is Evidence.SOURCE for each in found)
    return not _clears_exporter(finding) and (not finding.settles or sources <= finding.settles)


def _tell_refusals_once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One refusal is told at one line: the first of those that it may be about.

    An export that is wrong may be so by each of its lines.
    """
    first: dict[tuple[str | None, ...], tuple[str, int]] = {}
    for finding in findings:
        place = (finding.place.path, finding.place.row)
        if not finding.refusal:
            yield finding
            continue
        told = (finding.model, finding.exporter, finding.target, finding.said, finding.detail)
        if finding.target is not None or first.setdefault(told, place) == place:
            yield finding


def _explains_outcome(finding: Finding) -> bool:
    """Whether a rule accounts for the outcome of a trial, so that no general word is needed."""
    told = finding.evidence is Evidence.EXPORT and finding.target is None
    return told and finding.code not in GENERIC and not finding.beside


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By file, row, column, code and target; the same findings always give the same order."""
    return tuple(sorted(dict.fromkeys(findings), key=_sort_key))


def _sort_key(finding: Finding) -> tuple[Any, ...]:
    place, hazard = finding.place, finding.hazard
    what = finding.code, finding.target or "", finding.said, finding.detail
    return place.path, place.row, place.column, *what, hazard.harm if hazard else ()


def _group_by_line(findings: list[Finding]) -> Iterable[list[Finding]]:
    """Findings by code, target and line; what a run says joins the source hit whose rows it falls into.

    Where a source hit names its model, what runs of that model say joins it too.
    """
    table: dict[tuple[_What, str, int], list[Finding]] = defaultdict(list)
    homes: dict[tuple[_What, str, int], int] = {}
    about: list[list[Finding]] = []
    for finding in sorted(findings, key=lambda f: (f.evidence, f.place)):
        what, place = (finding.code, finding.target), finding.place
        if told := [group for group in about if _is_about(finding, group[0])]:
            for group in told:
                group.append(finding)
            continue
        row = homes.get((what, place.path, place.row), place.row)
        table[what, place.path, row].append(finding)
        if finding.evidence is Evidence.SOURCE:
            if finding.model is not None:
                about.append(table[what, place.path, row])
            for inner in range(place.row, max(place.row, place.end_row) + 1):
                homes.setdefault((what, place.path, inner), row)
    return table.values()


def _is_about(said: Finding, source: Finding) -> bool:
    """Whether a run or trial tells of the very model, and exporter, that a source hit names."""
    return (
        said.evidence is not Evidence.SOURCE
        and (said.code, said.target) == (source.code, source.target)
        and (source.exporter is None or said.exporter in (None, source.exporter))
        and _complete_path(said.model) == _complete_path(source.model)
    )


def _complete_path(model: str | None) -> str:
    """The model's name with its file's whole path."""
    path, _, name = (model or "").rpartition(":")
    return f"{os.path.abspath(path)}:{name}"


def _join_evidence(hits: Sequence[Finding]) -> list[Finding]:
    """Each source hit of the line with the strongest evidence; one finding if there is none."""
    strongest = max(hits, key=lambda f: (f.evidence, f.severity))
    anchors = [f for f in hits if f.evidence is Evidence.SOURCE]
    runs = sorted((f for f in hits if f.evidence is not Evidence.SOURCE), key=lambda f: f.evidence)
    first = {_kind_of(f): f for f in reversed(runs)}  # one note of each kind
    seen = tuple(dict.fromkeys(_make_note(f) for f in runs if f in first.values()))
    gravest = max(f.severity for f in hits)
    if not anchors:
        others = tuple(note for note in seen if note != _make_note(strongest))
        return [replace(strongest, fix=_first_fix(hits), notes=others, severity=gravest)]
    if strongest.evidence is Evidence.SOURCE:
        return anchors
    return [
        replace(
            strongest,
            place=a.place,
            exporter=strongest.exporter or a.exporter,
            fix=a.fix,
            remedy=a.remedy or strongest.remedy,
            cause=a.cause,
            notes=(_make_note(a), *seen),
            confirms=False,
            severity=max(a.severity, strongest.severity),
        )
        for a in anchors
    ]


def _lend_fix(findings: Iterable[Finding], lent: Sequence[Finding]) -> Iterator[Finding]:
    """What a run found, with the fix and the remedy of a source hit that waited for it.

    One that names its model waits for what is said of that, of the same cause, at any line.
    """
    for finding in findings:
        own = [
            f
            for f in lent
            if (f.cause == finding.cause and _is_about(finding, f))
            or f.place.row <= finding.place.row <= f.place.end_row
        ]
        if own and finding.fix is None and finding.evidence is not Evidence.SOURCE:
            yield replace(finding, place=own[0].place, fix=own[0].fix, remedy=own[0].remedy)
        else:
            yield finding


def _kind_of(finding: Finding) -> tuple[object, ...]:
    """What tells notes apart that are to be kept: what they rest on, and what they say of exporters."""
    harm = finding.hazard and finding.hazard.harm
    return finding.evidence, finding.exporter, finding.tried, harm


def _first_fix(hits: Sequence[Finding]) -> Fix | None:
    return next((f.fix for f in hits if f.fix), None)


def _make_note(finding: Finding) -> Note:
    return Note(**{each.name: getattr(finding, each.name) for each in fields(Note)})
