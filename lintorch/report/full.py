"""The report for people: each finding with its code, its evidence, what to do, and the fix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lintorch.core.finding import Evidence, Finding, Fix
from lintorch.report.characters import count_columns
from lintorch.report.code_frame import draw_frame
from lintorch.report.fix_diff import draw_diff
from lintorch.report.places import shown_model, write_location
from lintorch.report.result import Result
from lintorch.report.styled_lines import Line, Screen
from lintorch.report.summary_line import write_count, write_repairs, write_summary, write_unread
from lintorch.report.wording import write_message, write_notes

_BLANK: Line = ()
_VERDICTS = {
    True: ("verified: ", "good"),
    False: ("not the same: ", "warning"),
    None: ("not verified: ", "dim"),
}
"""How a line on a fix begins, and how that is shown."""


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write a block for each finding, then what was withdrawn, what ran, and the summary."""
    screen = Screen.of(out, color, width)
    for finding in report.findings:
        screen.write(draw_block(finding, report, screen))
    if report.quiet:
        return
    if report.withdrawn:
        screen.write(_draw_withdrawn(report, screen))
    screen.write(_draw_repairs(report, screen))
    screen.write(_draw_work(report))
    worst = max((finding.severity for finding in report.findings), default=None)
    screen.write([[(write_summary(report), "good" if worst is None else str(worst))]])


def draw_block(finding: Finding, report: Result, screen: Screen) -> Iterator[Line]:
    """What is told of one finding: its message, its frame, its evidence, its fix."""
    style = str(finding.severity)
    title = f"{finding.code} {finding.name}"
    yield (f"{style} {title}", style), ("  ", ""), (write_location(finding.place), "strong")
    yield from screen.wrap(write_message(finding), 2)
    text = report.text(finding.place)
    if text is not None and (framed := list(draw_frame(text, finding.place, style, screen))):
        yield _BLANK
        yield from framed
        yield _BLANK
    yield from _draw_evidence(finding, screen)
    if finding.fix:
        yield from _draw_fix(finding.fix, text, screen)
    yield ("  help: ", "dim"), (f"lintorch rule {finding.code}", "")
    yield _BLANK


def _draw_evidence(finding: Finding, screen: Screen) -> Iterator[Line]:
    model = f" of {shown_model(finding.model)}" if finding.model else ""
    target = f" for {finding.target}" if finding.target else ""
    yield ("  evidence: ", "dim"), (f"{finding.evidence}{model}{target}", "")
    for evidence, said in write_notes(finding):
        yield from _draw_note(evidence, said, screen)


def _draw_note(evidence: Evidence, said: str, screen: Screen) -> Iterator[Line]:
    head: Line = (("    ", ""), (screen.glyphs.seen, "good"), (f" {evidence!s:<6}  ", "dim"))
    indent = sum(count_columns(text) for text, _ in head)
    for index, (margin, line) in enumerate(screen.wrap(said, indent)):
        yield *(head if index == 0 else (margin,)), line


def _draw_fix(fix: Fix, text: str | None, screen: Screen) -> Iterator[Line]:
    yield ("  fix ", "dim"), (f"({fix.applicability}): ", "dim"), (fix.message, "")
    if text is not None:
        yield from draw_diff(text, fix.edits, screen)
    if fix.verification:
        head, style = _VERDICTS[fix.verified]
        for index, (margin, line) in enumerate(screen.wrap(fix.verification, 2 + len(head))):
            yield ((f"  {head}", style) if index == 0 else margin), line


def _draw_withdrawn(report: Result, screen: Screen) -> Iterator[Line]:
    found = write_count(len(report.withdrawn), "finding")
    told = ":" if report.show_refuted else " (--show-refuted tells which, and why)."
    yield [(f"Withdrew {found} that a run showed to be harmless{told}", "dim")]
    for finding in report.withdrawn if report.show_refuted else ():
        place = write_location(finding.place)
        yield [(f"  {screen.glyphs.against} {finding.code} {finding.name}  {place}", "dim")]
        yield from screen.wrap(finding.refuted or write_message(finding), 4, "dim")
    yield _BLANK


def _draw_repairs(report: Result, screen: Screen) -> Iterator[Line]:
    told = list(write_repairs(report))
    for line in told:
        yield from screen.wrap(line, 0, "good")
    if told:
        yield _BLANK


def _draw_work(report: Result) -> Iterator[Line]:
    done = (
        [f"checked {write_count(report.files, 'file')}{write_unread(report)}"]
        if report.files
        else []
    )
    done += [f"ran {write_count(len(report.models), 'model')}:"] if report.models else []
    if done:
        yield [(", ".join(done).capitalize(), "dim")]
    for line in (line for model in report.models for line in model.splitlines()):
        yield [(f"  {line}", "dim")]
    if report.models:
        yield _BLANK
