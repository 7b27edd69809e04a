"""The findings as a JSON array, for programs; where it was asked for, those that were withdrawn among them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from lintorch.core.finding import Finding, Fix, Harm, Note, Place, Sizes
from lintorch.core.merge import sort_findings
from lintorch.core.text_rows import split_rows
from lintorch.report.harm_by_exporter import gather_sizes, sum_up_harm
from lintorch.report.places import find_end, find_start, shown_model, shown_path
from lintorch.report.result import Result
from lintorch.report.wording import write_message

TREATMENT = {
    None: "right",
    Harm.NOISY: "noisy",
    Harm.REFUSED: "refused",
    Harm.FAILS: "fails",
    Harm.WARNED: "wrong-with-warning",
    Harm.AUTO: "wrong-with-auto",
    Harm.SILENT: "wrong",
}
"""The words of `exporters`; docs/output.md says what each means."""


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the array in ASCII, so that its bytes are the same whatever the stream's encoding."""
    json.dump([*list_values(report)], out, indent=2)
    out.write("\n")


def list_values(report: Result) -> Iterator[dict[str, Any]]:
    """An element for each finding; those withdrawn among them, sorted alike, where these are asked for."""
    asked = report.withdrawn if report.show_refuted else ()
    for finding in sort_findings((*report.findings, *asked)) if asked else report.findings:
        told = finding_values(finding, report)
        yield {**told, "refuted": finding.refuted} if report.show_refuted else told


def finding_values(finding: Finding, report: Result) -> dict[str, Any]:
    """One element of the array."""
    return {
        "code": finding.code,
        "name": finding.name,
        "message": write_message(finding),
        "remedy": finding.remedy or None,
        "severity": str(finding.severity),
        "evidence": str(finding.evidence),
        "filename": shown_path(finding.place.path),
        "cell": finding.place.cell or None,
        "location": _position_values(find_start(finding.place)),
        "end_location": _position_values(find_end(finding.place)),
        "also": [_span_values(place) for place in finding.also],
        "model": finding.model and shown_model(finding.model),
        "exporters": _exporter_words(sum_up_harm(finding)),
        "sizes": _size_lists(gather_sizes(finding)),
        "target": finding.target,
        "url": report.urls.get(finding.code),
        "notes": [_note_values(note) for note in finding.notes],
        "fix": finding.fix and _fix_values(finding.fix, report.text(finding.place)),
    }


def _span_values(place: Place) -> dict[str, Any]:
    return {
        "filename": shown_path(place.path),
        "cell": place.cell or None,
        "location": _position_values(find_start(place)),
        "end_location": _position_values(find_end(place)),
    }


def _exporter_words(harm: Mapping[str, Harm | None]) -> dict[str, str]:
    return {name: TREATMENT[kind] for name, kind in harm.items()}


def _size_lists(sizes: Sequence[Sizes]) -> list[list[str]] | None:
    return [list(names) for names in sizes] or None


def _note_values(note: Note) -> dict[str, Any]:
    return {
        "evidence": str(note.evidence),
        "message": write_message(note),
        "model": note.model and shown_model(note.model),
        "exporters": _exporter_words(sum_up_harm(note)),
        "sizes": _size_lists(note.sizes),
    }


def _fix_values(fix: Fix, text: str | None) -> dict[str, Any]:
    return {
        "applicability": str(fix.applicability),
        "message": fix.message,
        "verified": fix.verified,
        "verification": fix.verification or None,
        "edits": _edit_values(fix, text),
    }


def _edit_values(fix: Fix, text: str | None) -> list[dict[str, Any]]:
    """The edits by row and column; none where the text they count in is unknown or has shrunk."""
    if text is None or any(edit.end > len(text) for edit in fix.edits):
        return []
    rows = split_rows(text)
    return [
        {
            "content": edit.content,
            "location": _position_values(rows.find_position(edit.start)),
            "end_location": _position_values(rows.find_position(edit.end)),
        }
        for edit in fix.edits
    ]


def _position_values(position: tuple[int, int]) -> dict[str, int]:
    return dict(zip(("row", "column"), position, strict=True))
