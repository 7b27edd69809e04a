"""Findings and their notes in words; nothing else makes text of them, and nothing takes it apart."""

from __future__ import annotations

from dataclasses import replace

from lintorch.core.finding import Evidence, Finding, Harm, Hazard, Note
from lintorch.core.profile import enumerate_names

_CLAUSES = {
    Harm.SILENT: "silently wrong under {}",
    Harm.AUTO: "silently wrong under {} where sizes are left to Dim.AUTO",
    Harm.WARNED: "wrong with no more than a warning under {}",
    Harm.REFUSED: "refused by {}",
    Harm.FAILS: "fails at run time under {}",
    Harm.NOISY: "a needless warning under {}",
}


def write_message(found: Finding | Note) -> str:
    """What was found, and for which exporters in use the line breaks and how, and for which not."""
    verdict = "" if found.hazard is None else _write_verdict(found.hazard)
    return ": ".join(part for part in (found.said, found.detail, verdict) if part)


def write_notes(finding: Finding) -> list[tuple[Evidence, str]]:
    """What each piece of evidence said, once, without the end that the finding's message has too."""
    told = dict.fromkeys((note.evidence, _write_note(note, finding)) for note in finding.notes)
    if all(note.evidence is not Evidence.SOURCE for note in finding.notes):
        told.pop((finding.evidence, write_message(finding)), None)  # another exporter said it too
    return list(told)


def _write_note(note: Note, finding: Finding) -> str:
    """A verdict, or a detail where there is no verdict, stands in the message already."""
    if note.hazard is None and finding.hazard is None and note.detail == finding.detail:
        return note.said
    if (
        note.hazard
        and finding.hazard
        and _write_verdict(note.hazard) == _write_verdict(finding.hazard)
    ):
        return write_message(replace(note, hazard=None))
    return write_message(note)


def _write_verdict(hazard: Hazard) -> str:
    clauses = [
        _CLAUSES[kind].format(enumerate_names([name for name, each in hazard.harm if each is kind]))
        for kind in sorted({kind for _, kind in hazard.harm}, reverse=True)
    ]
    if hazard.fine:
        clauses.append(f"right under {enumerate_names([*hazard.fine])}")
    return "; ".join(clauses)
