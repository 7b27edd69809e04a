"""One finding per copy: what a rule says of lines that were copied to other places is told once, at the first."""

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

_Copied = tuple[object, ...]


def fold_copies(findings: Iterable[Finding], texts: Mapping[str, str]) -> tuple[Finding, ...]:
    """The findings, those of the same lines with the same line before or behind as one that names all places.

    The fix is that of the first, whose file alone it changes.
    """
    lines = {path: text.split("\n") for path, text in texts.items()}
    groups: dict[int, list[Finding]] = defaultdict(list)
    known: dict[_Copied, list[int]] = defaultdict(list)
    for number, finding in enumerate(findings):
        copied = [*_describe_lines(finding, lines.get(finding.place.path, ()))]
        alike = (at for each in copied for at in known[each])
        at = next((n for n in alike if not _is_said_again(finding, groups[n], lines)), number)
        groups[at].append(finding)
        for each in copied:
            known[each].append(at)
    return tuple(map(_fold_group, groups.values()))


def _is_said_again(
    finding: Finding, group: Sequence[Finding], lines: Mapping[str, Sequence[str]]
) -> bool:
    """Whether a script, or another cell of a notebook, does again what it did."""
    place = finding.place
    if not any(each.place.path == place.path for each in group):
        return False
    return place.path.endswith(".ipynb") or not lines[place.path][place.row - 1][:1].isspace()


def _fold_group(group: Sequence[Finding]) -> Finding:
    head, *others = group
    also = (place for each in others for place in (each.place, *each.also))
    return replace(head, also=(*head.also, *also)) if others else head


def _describe_lines(finding: Finding, lines: Sequence[str]) -> Iterator[_Copied]:
    """What is said of the lines and what they are, with the line before them, and with that behind."""
    place = finding.place
    if not lines or finding.evidence is not Evidence.SOURCE or finding.notes:
        return
    own = finding.code.startswith(_OWN) and finding.code != SYNTAX_ERROR
    if own or finding.model or not finding.said:
        return
    if finding.cause.startswith(OF_PROJECT):
        yield finding.code, finding.cause, finding.severity, finding.fix is None
    last = max(place.row, place.end_row)
    held = tuple(map(_drop_comment, lines[place.row - 1 : last]))
    said = finding.code, finding.said, finding.detail, finding.remedy, finding.severity, held
    who = finding.target, finding.exporter, finding.hazard
    before, behind = _find_text(lines[: place.row - 1][::-1]), _find_text(lines[last:])
    yield from ((*said, *who, way, near) for way, near in enumerate((before, behind)) if near)


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
