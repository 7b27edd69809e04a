"""One finding per message: what a rule says of several functions or files in the same words is told once, at the first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from lintorch.core.codes import SYNTAX_ERROR
from lintorch.core.finding import OF_PROJECT, Evidence, Finding, Place

_OWN = "LT0"
"""Codes of what lintorch says of itself and of comments."""

_COMMENT = re.compile(r"(?:^|\s)#[^\"']*$")

_Alike = tuple[object, ...]


def fold_copies(findings: Iterable[Finding], texts: Mapping[str, str]) -> tuple[Finding, ...]:
    """The findings, those of one message, or of one cause in a project, as one that names all places.

    Of files that do not parse it are those of the same line with the same line before or behind it.
    The fix is that of the first, whose file alone it changes.
    """
    lines = {path: text.split("\n") for path, text in texts.items()}
    groups: dict[int, list[Finding]] = defaultdict(list)
    known: dict[_Alike, int] = {}
    for number, finding in enumerate(findings):
        alike = [*_describe(finding, lines.get(finding.place.path, ()))]
        at = next((known[each] for each in alike if each in known), number)
        groups[at].append(finding)
        for each in alike:
            known.setdefault(each, at)
    return tuple(map(_fold_group, groups.values()))


def _fold_group(group: Sequence[Finding]) -> Finding:
    """The gravest of them, of which there is a fix if one of them has one, with the places of the others."""
    head = max(group, key=lambda each: (each.severity, each.fix is not None))
    others = [each for each in group if each is not head]
    also = (place for each in others for place in (each.place, *each.also))
    return replace(head, also=(*head.also, *also)) if others else head


def _describe(finding: Finding, lines: Sequence[str]) -> Iterator[_Alike]:
    """What a finding may have in common with others that are told with it."""
    if not lines or finding.evidence is not Evidence.SOURCE or finding.notes:
        return
    if finding.model or not finding.said:
        return
    who = finding.target, finding.exporter, finding.hazard
    said = finding.code, finding.said, finding.detail, finding.remedy, finding.severity
    if finding.code == SYNTAX_ERROR:
        yield from _describe_lines(finding, (*said, *who), lines)
    elif not finding.code.startswith(_OWN):
        yield (*said, *who)
    if finding.cause.startswith(OF_PROJECT):
        yield (finding.cause,)


def _describe_lines(finding: Finding, said: _Alike, lines: Sequence[str]) -> Iterator[_Alike]:
    """What is said of the lines and what they are, with the line before them, and with that behind."""
    place = finding.place
    last = max(place.row, place.end_row)
    held = tuple(map(_drop_comment, lines[place.row - 1 : last]))
    before, behind = _find_text(lines[: place.row - 1][::-1]), _find_text(lines[last:])
    yield from ((*said, held, way, near) for way, near in enumerate((before, behind)) if near)


def _find_text(lines: Sequence[str]) -> str:
    """The first line that holds anything but a comment."""
    return next(filter(None, map(_drop_comment, lines)), "")


def _drop_comment(line: str) -> str:
    """A line without spaces around it, and without a comment behind it, unless that may be a text."""
    return _COMMENT.sub("", line).strip()


def list_elsewhere(finding: Finding) -> list[Place]:
    """The first place of a finding in each other file than its own."""
    others = (each for each in reversed(finding.also) if each.path != finding.place.path)
    return [*{each.path: each for each in others}.values()][::-1]
