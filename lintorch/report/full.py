"""The report for people: each finding with its code, its evidence, what to do, and the fix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lintorch.core.finding import Evidence, Finding, Fix
from lintorch.report.characters import columns
from lintorch.report.code_frame import frame
from lintorch.report.fix_diff import diff
from lintorch.report.places import location, shown_model
from lintorch.report.result import Result
from lintorch.report.styled_lines import Line, Screen
from lintorch.report.summary_line import count, repairs, summary, unread

_BLANK: Line = ()
_KINDS = {str(kind) for kind in Evidence}


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write a block for each finding, then what was withdrawn, what ran, and the summary."""
    screen = Screen.of(out, color, width)
    for finding in report.findings:
        screen.write(_block(finding, report, screen))
    if report.withdrawn:
        screen.write(_withdrawn(report, screen))
    screen.write(_repairs(report, screen))
    screen.write(_work(report))
    worst = max((finding.severity for finding in report.findings), default=None)
    screen.write([[(summary(report), "good" if worst is None else str(worst))]])


def _block(finding: Finding, report: Result, screen: Screen) -> Iterator[Line]:
    style = str(finding.severity)
    title = f"{finding.code} {finding.name}"
    yield (f"{style} {title}", style), ("  ", ""), (location(finding.place), "strong")
    yield from screen.wrap(finding.message, 2)
    text = report.text(finding.place)
    if text is not None and (framed := list(frame(text, finding.place, style, screen))):
        yield _BLANK
        yield from framed
        yield _BLANK
    yield from _evidence(finding, screen)
    if finding.fix:
        yield from _fix(finding.fix, text, screen)
    yield ("  help: ", "dim"), (f"lintorch rule {finding.code}", "")
    yield _BLANK


def _evidence(finding: Finding, screen: Screen) -> Iterator[Line]:
    model = f" of {shown_model(finding.model)}" if finding.model else ""
    target = f" for {finding.target}" if finding.target else ""
    yield ("  evidence: ", "dim"), (f"{finding.evidence}{model}{target}", "")
    for note in finding.notes:
        yield from _note(note, screen)


def _note(note: str, screen: Screen) -> Iterator[Line]:
    """A note that begins as `trace: …` is ticked and aligned with others of its kind."""
    kind, _, said = note.partition(": ")
    if kind in _KINDS:
        head: Line = (("    ", ""), (screen.glyphs.seen, "good"), (f" {kind:<6}  ", "dim"))
    else:
        head, said = (("    ", ""), (screen.glyphs.item, "dim"), (" ", "")), note
    indent = sum(columns(text) for text, _ in head)
    for index, (margin, line) in enumerate(screen.wrap(said, indent)):
        yield *(head if index == 0 else (margin,)), line


def _fix(fix: Fix, text: str | None, screen: Screen) -> Iterator[Line]:
    yield ("  fix ", "dim"), (f"({fix.applicability}): ", "dim"), (fix.message, "")
    if text is not None:
        yield from diff(text, fix.edits, screen)


def _withdrawn(report: Result, screen: Screen) -> Iterator[Line]:
    found = count(len(report.withdrawn), "finding")
    told = ":" if report.show_refuted else " (--show-refuted tells which, and why)."
    yield [(f"Withdrew {found} that a run showed to be harmless{told}", "dim")]
    for finding in report.withdrawn if report.show_refuted else ():
        place = location(finding.place)
        yield [(f"  {screen.glyphs.against} {finding.code} {finding.name}  {place}", "dim")]
        yield from screen.wrap(finding.refuted or finding.message, 4, "dim")
    yield _BLANK


def _repairs(report: Result, screen: Screen) -> Iterator[Line]:
    told = list(repairs(report))
    for line in told:
        yield from screen.wrap(line, 0, "good")
    if told:
        yield _BLANK


def _work(report: Result) -> Iterator[Line]:
    done = [f"checked {count(report.files, 'file')}{unread(report)}"] if report.files else []
    done += [f"ran {count(len(report.models), 'model')}:"] if report.models else []
    if done:
        yield [(", ".join(done).capitalize(), "dim")]
    for line in (line for model in report.models for line in model.splitlines()):
        yield [(f"  {line}", "dim")]
    if report.models:
        yield _BLANK
