"""Findings and their notes in words; nothing else makes text of them, and nothing takes it apart."""

from __future__ import annotations

from dataclasses import replace

from lintorch.core.copies import list_elsewhere
from lintorch.core.finding import Evidence, Finding, Harm, Note, Place
from lintorch.core.profile import enumerate_names
from lintorch.report.harm_by_exporter import sum_up_harm
from lintorch.report.places import shown_path

_MOST_NAMED = 3
"""Lines of other files that are named."""

_CLAUSES = {
    Harm.SILENT: "silently wrong under {}",
    Harm.AUTO: "silently wrong under {} where dynamic_shapes leaves a size to Dim.AUTO, which lets the exporter fix it",
    Harm.WARNED: "wrong with no more than a warning under {}",
    Harm.REFUSED: "refused by {}",
    Harm.FAILS: "fails at run time under {}",
    Harm.NOISY: "a needless warning under {}",
}


def write_message(found: Finding | Note) -> str:
    """What was found, for which exporters in use the line breaks and how, and what to write instead."""
    verdict = _write_verdict(found)
    told = ": ".join(part for part in (found.said, found.detail, verdict) if part)
    if isinstance(found, Note):
        return told
    return "; ".join(part for part in (told, found.remedy, _write_also(found)) if part)


def _write_also(finding: Finding) -> str:
    """`also in lines 31 and 35 and in old.py:7`; nothing where it stands at one line alone."""
    own, others = finding.place, list_elsewhere(finding)
    at = own.cell, own.row
    here = [e for e in finding.also if e.path == own.path and (e.cell, e.row) != at]
    rows = dict.fromkeys(str(each.row) for each in here if each.cell == own.cell)
    cells = dict.fromkeys(_write_row(each) for each in here if each.cell != own.cell)
    files = [f"{shown_path(each.path)}:{_write_row(each)}" for each in others[:_MOST_NAMED]]
    if len(others) > len(files):
        files.append(f"{len(others) - len(files)} more")
    lines = f"in line{'s' if len(rows) > 1 else ''} {enumerate_names([*rows])}" if rows else ""
    away = f"in {enumerate_names([*cells, *files])}" if cells or files else ""
    told = " and ".join(part for part in (lines, away) if part)
    return f"also {told}" if told else ""


def _write_row(place: Place) -> str:
    """`31`, and `cell 12:5` in a notebook."""
    return f"cell {place.cell}:{place.row}" if place.cell else str(place.row)


def write_notes(finding: Finding) -> list[tuple[Evidence, str]]:
    """What each piece of evidence said, once, without the end that the finding's message has too."""
    told = dict.fromkeys((note.evidence, _write_note(note, finding)) for note in finding.notes)
    if all(note.evidence is not Evidence.SOURCE for note in finding.notes):
        bare = write_message(replace(finding, remedy="", also=()))
        told.pop((finding.evidence, bare), None)  # another exporter said it too
    return list(told)


def _write_note(note: Note, finding: Finding) -> str:
    """A verdict, or a detail where there is no verdict, stands in the message already."""
    if note.hazard is None and finding.hazard is None and note.detail == finding.detail:
        return note.said
    if note.hazard and _write_verdict(note) == _write_verdict(finding):
        return write_message(replace(note, hazard=None))
    return write_message(note)


def _write_verdict(found: Finding | Note) -> str:
    """What befalls the exporters of which it is not said already how a trial with them went."""
    harm = sum_up_harm(found)
    if found.tried is not None and found.exporter is not None:
        harm.pop(found.exporter, None)
    clauses = [
        _CLAUSES[kind].format(
            enumerate_names([name for name, each in harm.items() if each is kind])
        )
        for kind in sorted({kind for kind in harm.values() if kind is not None}, reverse=True)
    ]
    spared = found.hazard.fine if found.hazard else ()
    fine = [name for name in spared if harm.get(name, Harm.NOISY) is None]
    if fine:
        clauses.append(f"right under {enumerate_names(fine)}")
    return "; ".join(clauses)
